package io.leaderstarter.sample;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
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
	String add(@RequestParam(defaultValue = "Ada") String customer,
			@RequestParam(defaultValue = "100") BigDecimal amount) {
		String id = UUID.randomUUID().toString();
		this.jdbc.sql("insert into invoice (id, customer, amount) values (?, ?, ?)")
			.params(id, customer, amount)
			.update();
		return id;
	}

	@GetMapping
	List<Map<String, Object>> latest() {
		return this.jdbc.sql("select invoice.id, customer, amount, due, closed_by, sent_by from invoice "
				+ "left join outbox on outbox.invoice = invoice.id order by due desc, invoice.id fetch first 100 rows only")
			.query()
			.listOfRows();
	}

}
