package io.leaderstarter.autoconfigure;

import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipGrantedEvent;
import io.leaderstarter.LeadershipListener;
import io.leaderstarter.LeadershipRevokedEvent;
import io.leaderstarter.RevocationReason;

import org.springframework.context.ApplicationEventPublisher;

/**
 * {@link LeadershipListener} that publishes application events.
 */
record LeaderEventPublisher(ApplicationEventPublisher publisher) implements LeadershipListener {

	@Override
	public void onGranted(Leadership leadership) {
		this.publisher.publishEvent(new LeadershipGrantedEvent(leadership));
	}

	@Override
	public void onRevoked(Leadership leadership, RevocationReason reason) {
		this.publisher.publishEvent(new LeadershipRevokedEvent(leadership, reason));
	}

}
