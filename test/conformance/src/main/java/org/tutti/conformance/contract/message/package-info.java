/// Messages between two ranks: the received data equals the sent data, for every mode, length and kind of
/// memory. Messages of one sender do not overtake each other. The status of a probe describes the message that
/// the next receive returns. A wrong argument is reported before data is sent, and a message that fails does
/// not affect other messages. MPI 4.1, chapter 3.
@NullMarked
package org.tutti.conformance.contract.message;

import org.jspecify.annotations.NullMarked;
