package io.leaderstarter;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Lets a method run only on the member that leads a role. On a class it applies to all of
 * its methods that can be called from outside.
 * <p>
 * While the method runs, {@link LeaderContext} knows its term. The annotation works on
 * Spring beans, through their proxies: a call from within the same object is not seen.
 * What cannot work (a {@code final} or {@code private} method, a bean that is not
 * proxied) stops the application at start; it is never ignored.
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

}
