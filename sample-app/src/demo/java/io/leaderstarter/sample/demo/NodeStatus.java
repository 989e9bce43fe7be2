package io.leaderstarter.sample.demo;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a node says of itself.
 *
 * @param reachable whether it reaches what keeps the leases
 * @param paused whether it is paused
 * @param roles the roles by their names
 */
record NodeStatus(boolean reachable, boolean paused, Map<String, Role> roles) {

	private static final JsonMapper JSON = JsonMapper.builder().build();

	/**
	 * Reads the answer of {@code /actuator/leader}.
	 */
	static NodeStatus read(String answer) {
		JsonNode all = JSON.readTree(answer);
		Map<String, Role> roles = new TreeMap<>();
		boolean paused = true;
		for (Map.Entry<String, JsonNode> entry : all.path("roles").properties()) {
			JsonNode role = entry.getValue();
			paused &= role.path("paused").asBoolean(false);
			String left = role.path("timeLeft").asString("");
			roles.put(entry.getKey(), new Role(role.path("state").asString(""), role.path("epoch").asLong(0),
					left.isEmpty() ? null : Duration.parse(left).toMillis()));
		}
		return new NodeStatus(all.path("backend").path("reachable").asBoolean(false), paused && !roles.isEmpty(),
				roles);
	}

	/**
	 * A role as the node sees it.
	 *
	 * @param state what the node is
	 * @param epoch the last epoch that it knows
	 * @param millisLeft how long its own term lasts without a renewal
	 */
	record Role(String state, long epoch, @Nullable Long millisLeft) {
	}

}
