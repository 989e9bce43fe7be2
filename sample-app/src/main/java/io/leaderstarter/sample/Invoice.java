package io.leaderstarter.sample;

import java.math.BigDecimal;

/**
 * Something that a customer has to pay.
 *
 * @param id what it is known by
 * @param customer who pays
 * @param amount how much
 */
record Invoice(String id, String customer, BigDecimal amount) {
}
