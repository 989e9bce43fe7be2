package io.leaderstarter.aop;

import java.util.concurrent.atomic.AtomicReference;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.Registration;
import io.leaderstarter.election.Calls;
import io.leaderstarter.election.RoleCall;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

import org.springframework.aop.ProxyMethodInvocation;

/**
 * A method that returns a {@link Mono} or {@link Flux}. Every subscription is a separate
 * call: Spring calls a scheduled method once, at start, and then only subscribes. The
 * method itself runs with each subscription too, so that nothing of it runs without a
 * term. The role is kept until the stream has ended.
 */
final class StreamCall implements CallShape {

	/** The key of the terms of a call in the context of a stream. */
	static final Object KEY = LeaderContext.class.getName();

	@Override
	public Object invoke(LeaderOnlyOperation operation, MethodInvocation invocation, Calls calls) {
		// A copy for each subscription, as an invocation can only proceed once.
		ProxyMethodInvocation original = (ProxyMethodInvocation) invocation;
		MethodInvocation kept = original.invocableClone();
		Publisher<Object> gated = (subscriber) -> subscribe(operation, ((ProxyMethodInvocation) kept).invocableClone(),
				calls, subscriber);
		return Mono.class.isAssignableFrom(operation.method().getReturnType()) ? Mono.fromDirect(gated)
				: Flux.from(gated);
	}

	private static void subscribe(LeaderOnlyOperation operation, MethodInvocation invocation, Calls calls,
			Subscriber<? super Object> subscriber) {
		RoleCall call = operation.enter();
		if (call == null) {
			(operation.isRefused() ? Flux.error(operation.refusal()) : Flux.empty()).subscribe(subscriber);
			return;
		}
		Calls.Running running = calls.begin(call, operation.type(), operation.function());
		try {
			stream(operation, invocation, call, running).subscribe(subscriber);
		}
		catch (Throwable ex) {
			running.end(ex);
			throw ex;
		}
		finally {
			running.leaveThread();
		}
	}

	private static Flux<Object> stream(LeaderOnlyOperation operation, MethodInvocation invocation, RoleCall call,
			Calls.Running running) {
		AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
		Flux<Object> stream = source(invocation, running);
		if (operation.interrupts()) {
			stream = stream.takeUntilOther(lost(call));
		}
		LeaderContext terms = LeaderContext.snapshot();
		return stream.contextWrite((context) -> (terms != null) ? context.put(KEY, terms) : Context.of(context))
			.doOnError(failure::set)
			.doFinally((signal) -> running.end(failure.get()));
	}

	private static Flux<Object> source(MethodInvocation invocation, Calls.Running running) {
		try {
			running.notifyListeners();
			Object publisher = invocation.proceed();
			return (publisher != null) ? Flux.from((Publisher<?>) publisher).cast(Object.class) : Flux.empty();
		}
		catch (Throwable ex) {
			return Flux.error(ex);
		}
	}

	/** Return a Mono that fails when the term is lost. */
	private static Mono<Object> lost(RoleCall call) {
		return Mono.create((sink) -> {
			Registration registration = call.onCancel(() -> sink.error(new StaleLeaderException(call.leadership())));
			sink.onDispose(registration::close);
		});
	}

}
