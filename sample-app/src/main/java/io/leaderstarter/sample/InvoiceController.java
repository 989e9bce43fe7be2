package io.leaderstarter.sample;

import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Takes and shows invoices, on every node.
 */
@RestController
@RequestMapping("/invoices")
class InvoiceController {

	private final JdbcClient jdbc;

	InvoiceController(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	@PostMapping
	String add() {
		String id = UUID.randomUUID().toString();
		this.jdbc.sql("insert into invoice (id, due) values (?, current_timestamp)").param(id).update();
		return id;
	}

	@GetMapping
	List<Map<String, Object>> all() {
		return this.jdbc.sql("select id, due, closed_by from invoice order by due").query().listOfRows();
	}

}
