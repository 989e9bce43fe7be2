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
 * Resolves from the return type of a method what a call returns on members that do not
 * lead, and refuses types that would not be protected.
 */
final class LeaderOnlyReturns {

	private static final Map<Class<?>, Object> EMPTY = Map.of(Optional.class, Optional.empty(), OptionalInt.class,
			OptionalInt.empty(), OptionalLong.class, OptionalLong.empty(), OptionalDouble.class,
			OptionalDouble.empty());

	/**
	 * Types whose work is done by the caller, after the method has returned. By name, as
	 * the classes are optional.
	 */
	private static final Set<String> LATER = Set.of("org.reactivestreams.Publisher",
			"java.util.concurrent.Flow$Publisher", "kotlinx.coroutines.flow.Flow", "java.util.stream.BaseStream",
			"java.util.concurrent.Callable", "org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

	/** Streams whose end is observed with Reactor. */
	private static final Set<String> STREAMS = Set.of("reactor.core.publisher.Mono", "reactor.core.publisher.Flux",
			"org.reactivestreams.Publisher");

	private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Flux",
			LeaderOnlyReturns.class.getClassLoader());

	/** Annotations of methods that receive messages. */
	private static final Set<String> LISTENERS = Set.of("org.springframework.jms.annotation.JmsListener",
			"org.springframework.kafka.annotation.KafkaListener", "org.springframework.kafka.annotation.KafkaHandler",
			"org.springframework.amqp.rabbit.annotation.RabbitListener",
			"org.springframework.amqp.rabbit.annotation.RabbitHandler",
			"org.springframework.pulsar.annotation.PulsarListener", "io.awspring.cloud.sqs.annotation.SqsListener");

	/** Annotations of methods that respond to requests, also as meta-annotations. */
	private static final Set<String> WEB_HANDLERS = Set.of("org.springframework.web.bind.annotation.RequestMapping",
			"org.springframework.web.service.annotation.HttpExchange",
			"org.springframework.boot.actuate.endpoint.annotation.ReadOperation",
			"org.springframework.boot.actuate.endpoint.annotation.WriteOperation",
			"org.springframework.boot.actuate.endpoint.annotation.DeleteOperation");

	private static final String CONTINUATION = "kotlin.coroutines.Continuation";

	private LeaderOnlyReturns() {
	}

	/**
	 * Return how the method returns its result, and refuse types that are not protected.
	 */
	static CallShape shape(Method method) {
		Class<?> type = method.getReturnType();
		if (isSuspending(method)) {
			throw unprotected(method, "it is a suspending function");
		}
		if (isFuture(type)) {
			return CallShape.FUTURE;
		}
		if (isStream(method)) {
			return new StreamCall();
		}
		if (Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type) || isDoneLater(type)
				|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null) {
			throw unprotected(method, type.getSimpleName());
		}
		return CallShape.PLAIN;
	}

	/**
	 * Return whether the method returns a stream whose subscriptions can be guarded.
	 */
	static boolean isStream(Method method) {
		return REACTOR && STREAMS.contains(method.getReturnType().getName());
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
			throw new LeaderOnlyException(method, "otherwise = SKIP has no value of type " + type,
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

	/**
	 * Return whether a method has one of these annotations, also as a meta-annotation.
	 * @param annotations their names, as the classes are optional
	 */
	static boolean carries(Method method, Set<String> annotations) {
		return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY)
			.stream()
			.anyMatch((annotation) -> annotations.contains(annotation.getType().getName()));
	}

	private static boolean isSuspending(Method method) {
		Class<?>[] parameters = method.getParameterTypes();
		return parameters.length > 0 && parameters[parameters.length - 1].getName().equals(CONTINUATION);
	}

	/**
	 * The call would return before the work is done, and its end could not be observed:
	 * the term could be over while the work goes on.
	 */
	private static LeaderOnlyException unprotected(Method method, String returned) {
		return new LeaderOnlyException(method,
				"it returns before its work is done (%s), so the work would not be protected".formatted(returned),
				"Let the method do its work before it returns, for example by blocking on the result, or return a CompletableFuture, Mono or Flux.",
				null);
	}

	/**
	 * Return whether the work of a type is done later, by the names in its hierarchy.
	 * What Spring can adapt to a stream, it would subscribe to later, too.
	 */
	private static boolean isDoneLater(@Nullable Class<?> type) {
		return type != null && (LATER.contains(type.getName()) || isDoneLater(type.getSuperclass())
				|| Arrays.stream(type.getInterfaces()).anyMatch(LeaderOnlyReturns::isDoneLater));
	}

}
