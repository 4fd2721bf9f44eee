/// Java values as messages: the received value equals the sent value, for every depth and size, in every form
/// of message and collective call that accepts values. A value that cannot be sent or read fails in that call
/// only; later values arrive.
@NullMarked
package org.tutti.conformance.contract.object;

import org.jspecify.annotations.NullMarked;
