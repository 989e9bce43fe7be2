package io.leaderstarter.testsupport;

import io.leaderstarter.LeaderOnly;

/**
 * A job that only its own package can call.
 */
public class PackagePrivateJob {

	private boolean done;

	@LeaderOnly("verified")
	void work() {
		this.done = true;
	}

	/**
	 * Calls the job.
	 */
	public static void call(PackagePrivateJob job) {
		job.work();
	}

	/**
	 * Returns whether the work was done by this very object.
	 */
	public static boolean isDone(PackagePrivateJob job) {
		return job.done;
	}

	/**
	 * A job whose proxy is in the package of the method.
	 */
	public static class InSamePackage extends PackagePrivateJob {

	}

}
