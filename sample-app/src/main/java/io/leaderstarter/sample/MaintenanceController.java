package io.leaderstarter.sample;

import io.leaderstarter.LeaderElections;

import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Pauses this node during maintenance, so that other nodes lead. The Actuator endpoint
 * can do the same.
 */
@RestController
@RequestMapping("/maintenance")
class MaintenanceController {

	private final LeaderElections leaders;

	MaintenanceController(LeaderElections leaders) {
		this.leaders = leaders;
	}

	@PostMapping
	void begin() {
		this.leaders.pause();
	}

	@DeleteMapping
	void end() {
		this.leaders.resume();
	}

	@PostMapping("/resign")
	void resign(@RequestParam String role) {
		this.leaders.election(role).resign();
	}

}
