package io.leaderstarter.chaos;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.leaderstarter.chaos.Options.Backend;
import io.leaderstarter.chaos.Plan.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

class PlanTests {

	@Test
	void seedDecidesTheFaults() {
		assertThat(faults(1, Backend.ETCD)).isEqualTo(faults(1, Backend.ETCD)).isNotEqualTo(faults(2, Backend.ETCD));
	}

	@ParameterizedTest
	@EnumSource
	void eachKindOfFaultComes(Backend backend) {
		Set<FaultKind> kinds = new HashSet<>();
		faults(1, backend).stream().flatMap(List::stream).forEach((fault) -> kinds.add(fault.kind()));
		assertThat(kinds).containsExactlyInAnyOrderElementsOf(FaultKind.of(backend));
	}

	@ParameterizedTest
	@EnumSource
	void faultsThatComeTogetherMeetDifferentMembersAndOneServerAtMost(Backend backend) {
		assertThat(faults(1, backend)).allSatisfy((together) -> {
			assertThat(together.stream().filter((fault) -> fault.kind().hasMember()).map(Fault::member))
				.doesNotHaveDuplicates();
			assertThat(together.stream().filter((fault) -> !fault.kind().hasMember())).hasSizeLessThan(2);
		});
	}

	private static List<List<Fault>> faults(long seed, Backend backend) {
		Plan plan = new Plan(seed, FaultKind.of(backend));
		return Stream.generate(plan::next).limit(200).toList();
	}

}
