package io.leaderstarter;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Lets a method run only on the member that leads a role. On a class it applies to all of
 * its methods that can be called from outside, except through callbacks of the container:
 * these ({@code @PostConstruct}, {@code @PreDestroy}, {@code afterPropertiesSet},
 * injection and the like) are called on every node, before there is a proxy or past it.
 * <p>
 * While the method runs, {@link LeaderContext} knows its term. The annotation works on
 * Spring beans, through their proxies: a call from within the same object is not seen.
 * What cannot work (a {@code final} or {@code private} method, a callback of the
 * container that carries the annotation itself, a bean that is not proxied) stops the
 * application at start; it is never ignored.
 *
 * @since 0.1.0
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface LeaderOnly {

	/**
	 * The role that must be led. Placeholders such as <code>${jobs.role}</code> are
	 * resolved. Left out, it is the name of the application.
	 * @return the role
	 */
	String value() default "";

	/**
	 * What a call does on a member that does not lead.
	 * @return what to do instead
	 */
	Otherwise otherwise() default Otherwise.AUTO;

	/**
	 * How long a call waits on a member that does not lead, in case it soon does, such as
	 * <code>5s</code>; placeholders are resolved. A scheduled run that comes between two
	 * leaders is not missed then. The calling thread is blocked meanwhile, so a scheduler
	 * needs one for every method that may wait. Not for methods that return a
	 * {@code Mono} or {@code Flux}.
	 * <p>
	 * A call that waits before the application is ready, such as that of an
	 * {@code ApplicationRunner}, makes this member compete for the role at once, like
	 * {@link LeaderElection#await}. A {@code @Scheduled} method does not: it waits until
	 * the member competes by itself.
	 * @return how long to wait; left out, a call does not wait
	 */
	String awaitUpTo() default "";

	/**
	 * The time in which the method runs once at most, on all members together, such as
	 * <code>1h</code>; placeholders are resolved. A run that the old leader began is then
	 * not repeated by the new one. The last run is kept in the first fenced database of
	 * the role, by its clock; a call that comes too soon is skipped. Choose somewhat less
	 * than the time between two scheduled runs. For methods that return nothing.
	 * @return the time; left out, every call runs
	 */
	String atMostEvery() default "";

	/**
	 * What happens to a call that runs when the term is lost, or that runs on for longer
	 * than a member that leaves waits for it.
	 * @return what to do
	 */
	OnLoss onLoss() default OnLoss.CONTINUE;

}
