package io.leaderstarter.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import io.leaderstarter.Otherwise;
import io.leaderstarter.aop.LeaderOnlyOperation.Fallback;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapterRegistry;

/**
 * Decides by the type that a method returns what a call gives on members that do not
 * lead, and refuses what would not be protected.
 */
final class LeaderOnlyReturns {

	private static final Map<Class<?>, Object> EMPTY = Map.of(Optional.class, Optional.empty(), OptionalInt.class,
			OptionalInt.empty(), OptionalLong.class, OptionalLong.empty(), OptionalDouble.class,
			OptionalDouble.empty());

	/** Known by name, as the classes may not be there. */
	private static final Set<String> STREAMS = Set.of("org.reactivestreams.Publisher",
			"java.util.concurrent.Flow$Publisher", "kotlinx.coroutines.flow.Flow");

	private static final String CONTINUATION = "kotlin.coroutines.Continuation";

	private LeaderOnlyReturns() {
	}

	static Fallback fallback(Method method, Otherwise otherwise) {
		Class<?> type = method.getReturnType();
		refuseWorkThatGoesOn(method, type);
		if (otherwise == Otherwise.THROW) {
			return Fallback.THROW;
		}
		if (type == void.class || type == Void.class) {
			return Fallback.NULL;
		}
		Object empty = EMPTY.get(type);
		if (empty != null) {
			return new Fallback(false, empty);
		}
		if (otherwise == Otherwise.AUTO) {
			return Fallback.THROW;
		}
		if (type.isPrimitive()) {
			throw new LeaderOnlyException(method, "otherwise = SKIP cannot make up a value of type " + type,
					"Let the method return void or an Optional, or set otherwise = THROW.", null);
		}
		return Fallback.NULL;
	}

	/**
	 * The call returns before the work is done, so the term could be over while the work
	 * goes on. Spring even calls a scheduled method that returns a publisher only once.
	 */
	private static void refuseWorkThatGoesOn(Method method, Class<?> type) {
		Class<?>[] parameters = method.getParameterTypes();
		boolean suspends = parameters.length > 0 && parameters[parameters.length - 1].getName().equals(CONTINUATION);
		if (suspends || Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type)
				|| isStream(type)) {
			throw new LeaderOnlyException(method,
					"it returns before its work is done (%s), so the work would not be protected"
						.formatted(suspends ? "it is a suspending function" : type.getSimpleName()),
					"Let the method do its work before it returns, for example by blocking on the result.", null);
		}
	}

	/**
	 * By name through the whole hierarchy, and for those that implement none of the usual
	 * interfaces by what Spring knows to adapt, as Spring subscribes to these as well.
	 */
	private static boolean isStream(Class<?> type) {
		return hasStream(type) || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
	}

	private static boolean hasStream(@Nullable Class<?> type) {
		return type != null && (STREAMS.contains(type.getName()) || hasStream(type.getSuperclass())
				|| Arrays.stream(type.getInterfaces()).anyMatch(LeaderOnlyReturns::hasStream));
	}

}
