package io.leaderstarter.chaos.app;

import java.nio.file.Path;

import javax.sql.DataSource;

import jakarta.persistence.EntityManagerFactory;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * One member. What happens in it is written to a file, and what is done to it from
 * outside is read from another one.
 */
@SpringBootApplication
@EnableScheduling
public class ChaosApplication {

	/** System property with the file that the history is written to. */
	public static final String HISTORY = "chaos.history";

	/** System property with the file that {@link Controls} are read from. */
	public static final String CONTROLS = "chaos.controls";

	/**
	 * Starts the member.
	 * @param args properties of the application
	 */
	public static void main(String[] args) {
		SpringApplication.run(ChaosApplication.class, args);
	}

	@Bean
	@Primary
	JpaTransactionManager transactionManager(EntityManagerFactory entities) {
		return new JpaTransactionManager(entities);
	}

	/** Its commits are checked in another way than those of JPA. */
	@Bean
	JdbcTransactionManager jdbcTransactions(DataSource dataSource) {
		return new JdbcTransactionManager(dataSource);
	}

	/** Also the clocks of the member. */
	@Bean
	Controls controls() {
		return new Controls(Path.of(System.getProperty(CONTROLS)));
	}

}
