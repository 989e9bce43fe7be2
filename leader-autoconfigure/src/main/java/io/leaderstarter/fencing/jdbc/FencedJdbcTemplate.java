package io.leaderstarter.fencing.jdbc;

import java.util.function.Supplier;

import io.leaderstarter.fencing.Fences;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * A {@link JdbcTemplate} whose statements carry the epoch of the {@code @LeaderOnly} call
 * that they are made in, and are refused by the database if that call's member was
 * deposed. It can be used wherever a {@code JdbcTemplate} can, also under a
 * {@code NamedParameterJdbcTemplate}, a {@code JdbcClient} or a {@code SimpleJdbcInsert}.
 * <p>
 * Within a transaction the check is made when it commits. Without one, each statement and
 * its check are one transaction. The epoch is that of the term that the call
 * <em>began</em> under. Outside of {@code @LeaderOnly} calls every statement is refused
 * with {@code NotLeaderException}, reads too, as a query can write; {@link #unfenced()}
 * is the alternative.
 *
 * @since 0.1.0
 */
public class FencedJdbcTemplate extends JdbcTemplate {

	private final JdbcTemplate unfenced;

	/**
	 * Create a new template with the settings of another one.
	 * @param unfenced the template that is used without a fence; its {@code DataSource}
	 * and its settings are taken over
	 * @param fences the fences, resolved when first needed
	 */
	public FencedJdbcTemplate(JdbcTemplate unfenced, Supplier<Fences> fences) {
		super(unfenced);
		this.unfenced = unfenced;
		setDataSource(new FencingDataSource(obtainDataSource(), fences, true));
	}

	/**
	 * Return the plain template, for statements that need no leader.
	 * @return a template that checks nothing
	 */
	public JdbcTemplate unfenced() {
		return this.unfenced;
	}

}
