package io.leaderstarter.testsupport;

import java.util.List;

/**
 * Servers of one store, of which a test breaks single ones.
 */
public interface StoreServers extends AutoCloseable {

	/** The ports that clients connect to. */
	List<Integer> ports();

	/** The position of the server that leads the others. */
	int leader();

	/** Stops a server in the middle of its work. Clients are not notified. */
	void freeze(int position);

	/** Lets a server go on that was stopped in the middle of its work. */
	void goOn(int position);

	/** Ends a server at once. */
	void kill(int position);

	/** Starts those that were killed, and waits until all work together. */
	void heal();

	@Override
	void close();

}
