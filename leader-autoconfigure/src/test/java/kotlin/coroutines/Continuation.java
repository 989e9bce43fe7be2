package kotlin.coroutines;

/**
 * Stands for Kotlin's own, which is not on the class path: a suspending function takes it
 * as its last parameter.
 *
 * @param <T> what the function returns
 */
public interface Continuation<T> {

	void resumeWith(T result);

}
