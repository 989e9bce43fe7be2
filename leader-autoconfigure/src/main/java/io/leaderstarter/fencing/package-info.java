/**
 * The fence, by which the database refuses what a deposed member still tries to commit:
 * its row, its raise, and its check by transactions.
 */
@NullMarked
package io.leaderstarter.fencing;

import org.jspecify.annotations.NullMarked;
