package io.leaderstarter.test;

import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.TestExecutionListener;

/**
 * Gives each test the same beginning, whatever the one before did to the context that
 * they share: this member leads nothing, or {@link LeadsEverything everything}.
 */
final class LeadershipTestExecutionListener implements TestExecutionListener {

	@Override
	public void beforeTestMethod(TestContext testContext) {
		if (testContext.hasApplicationContext()) {
			testContext.getApplicationContext()
				.getBeanProvider(ManualLeadership.class)
				.ifAvailable((leadership) -> begin(leadership, testContext));
		}
	}

	private static void begin(ManualLeadership leadership, TestContext testContext) {
		leadership.reset();
		if (TestContextAnnotationUtils.hasAnnotation(testContext.getTestClass(), LeadsEverything.class)
				|| AnnotatedElementUtils.hasAnnotation(testContext.getTestMethod(), LeadsEverything.class)) {
			leadership.grantEverything();
		}
	}

}
