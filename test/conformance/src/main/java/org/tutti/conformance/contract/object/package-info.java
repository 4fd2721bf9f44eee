/// Java values as messages: what arrives equals what was sent, however deep or large it is, in every form of
/// message
/// and collective call that takes values. A value that cannot be sent or read fails in the call that has it, and
/// what comes after it arrives.
@NullMarked
package org.tutti.conformance.contract.object;

import org.jspecify.annotations.NullMarked;
