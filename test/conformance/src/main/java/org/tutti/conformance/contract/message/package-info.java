/// Messages between two ranks: the received data equals the sent data, for every mode, length and memory.
/// Messages of one sender do not overtake each other. A wildcard matches each of these messages; a probe
/// returns the properties of the next receive. A wrong argument is reported before data is sent, and a message
/// that fails does not affect other messages. MPI 4.1, chapter 3.
@NullMarked
package org.tutti.conformance.contract.message;

import org.jspecify.annotations.NullMarked;
