package io.leaderstarter.jdbc;

/**
 * H2. Its clock does not advance within a transaction, so leases are kept without any.
 */
final class H2Dialect implements JdbcDialect {

	@Override
	public String platform() {
		return "h2";
	}

	@Override
	public String nowMicros() {
		return "cast(extract(epoch from current_timestamp(6)) * 1000000 as bigint)";
	}

	@Override
	public String standardState(String state, int code) {
		return switch (state) {
			case "90067" -> "08001";
			case "90079" -> "3F000";
			case "90096" -> "42501";
			case "90097" -> "25006";
			case "90146", "90149" -> "3D000";
			default -> state;
		};
	}

}
