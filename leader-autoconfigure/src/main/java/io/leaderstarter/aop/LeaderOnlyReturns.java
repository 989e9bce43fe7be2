package io.leaderstarter.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import io.leaderstarter.Otherwise;
import io.leaderstarter.aop.LeaderOnlyOperation.Fallback;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Decides by the type that a method returns what a call gives on members that do not
 * lead, and refuses what would not be protected.
 */
final class LeaderOnlyReturns {

	private static final Map<Class<?>, Object> EMPTY = Map.of(Optional.class, Optional.empty(), OptionalInt.class,
			OptionalInt.empty(), OptionalLong.class, OptionalLong.empty(), OptionalDouble.class,
			OptionalDouble.empty());

	/**
	 * What somebody else does the work with, after the method has returned. Known by
	 * name, as the classes may not be there.
	 */
	private static final Set<String> LATER = Set.of("org.reactivestreams.Publisher",
			"java.util.concurrent.Flow$Publisher", "kotlinx.coroutines.flow.Flow", "java.util.stream.BaseStream",
			"java.util.concurrent.Callable", "org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

	/** Those whose end can be seen, if Reactor is there. */
	private static final Set<String> GATED_STREAMS = Set.of("reactor.core.publisher.Mono",
			"reactor.core.publisher.Flux", "org.reactivestreams.Publisher");

	private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Flux",
			LeaderOnlyReturns.class.getClassLoader());

	/** On a method that is given messages. */
	private static final Set<String> LISTENERS = Set.of("org.springframework.jms.annotation.JmsListener",
			"org.springframework.kafka.annotation.KafkaListener", "org.springframework.kafka.annotation.KafkaHandler",
			"org.springframework.amqp.rabbit.annotation.RabbitListener",
			"org.springframework.amqp.rabbit.annotation.RabbitHandler",
			"org.springframework.pulsar.annotation.PulsarListener", "io.awspring.cloud.sqs.annotation.SqsListener");

	/** On a method that answers a request, also as a meta-annotation. */
	private static final Set<String> WEB_HANDLERS = Set.of("org.springframework.web.bind.annotation.RequestMapping",
			"org.springframework.web.service.annotation.HttpExchange",
			"org.springframework.boot.actuate.endpoint.annotation.ReadOperation",
			"org.springframework.boot.actuate.endpoint.annotation.WriteOperation",
			"org.springframework.boot.actuate.endpoint.annotation.DeleteOperation");

	private static final String CONTINUATION = "kotlin.coroutines.Continuation";

	private LeaderOnlyReturns() {
	}

	/**
	 * Returns how the method gives its result, or refuses it.
	 */
	static CallShape shape(Method method) {
		Class<?> type = method.getReturnType();
		if (isSuspending(method)) {
			throw unprotected(method, "it is a suspending function");
		}
		if (isFuture(type)) {
			return FutureCall.INSTANCE;
		}
		if (isStream(method)) {
			return new StreamCall();
		}
		if (Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type) || isDoneLater(type)) {
			throw unprotected(method, type.getSimpleName());
		}
		return PlainCall.INSTANCE;
	}

	/**
	 * Returns whether the method gives a stream that every subscription to can be gated.
	 */
	static boolean isStream(Method method) {
		return REACTOR && GATED_STREAMS.contains(method.getReturnType().getName());
	}

	static Fallback fallback(Method method, Otherwise otherwise) {
		Class<?> type = method.getReturnType();
		if (carries(method, LISTENERS)) {
			if (otherwise == Otherwise.SKIP) {
				throw new LeaderOnlyException(method, "a message that it skips would be lost (otherwise = SKIP)",
						"Set otherwise = THROW, so that the message is delivered again.", null);
			}
			return Fallback.THROW;
		}
		if (otherwise == Otherwise.THROW || (otherwise == Otherwise.AUTO && carries(method, WEB_HANDLERS))) {
			return Fallback.THROW;
		}
		if (type == void.class || type == Void.class || isStream(method) || isFutureOfNothing(method)) {
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

	private static boolean isFuture(Class<?> type) {
		return type == CompletableFuture.class || type == CompletionStage.class;
	}

	private static boolean isFutureOfNothing(Method method) {
		return isFuture(method.getReturnType())
				&& ResolvableType.forMethodReturnType(method).getGeneric(0).resolve() == Void.class;
	}

	private static boolean carries(Method method, Set<String> annotations) {
		return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY)
			.stream()
			.anyMatch((annotation) -> annotations.contains(annotation.getType().getName()));
	}

	private static boolean isSuspending(Method method) {
		Class<?>[] parameters = method.getParameterTypes();
		return parameters.length > 0 && parameters[parameters.length - 1].getName().equals(CONTINUATION);
	}

	/**
	 * The call would return before the work is done, and nobody could see when it is: the
	 * term could be over while the work goes on.
	 */
	private static LeaderOnlyException unprotected(Method method, String what) {
		return new LeaderOnlyException(method,
				"it returns before its work is done (%s), so the work would not be protected".formatted(what),
				"Let the method do its work before it returns, for example by blocking on the result, or return a CompletableFuture, Mono or Flux.",
				null);
	}

	/**
	 * By name through the whole hierarchy, and for those that implement none of the usual
	 * interfaces by what Spring knows to adapt, as Spring subscribes to these as well.
	 */
	private static boolean isDoneLater(Class<?> type) {
		return isLater(type) || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
	}

	private static boolean isLater(@Nullable Class<?> type) {
		return type != null && (LATER.contains(type.getName()) || isLater(type.getSuperclass())
				|| Arrays.stream(type.getInterfaces()).anyMatch(LeaderOnlyReturns::isLater));
	}

}
