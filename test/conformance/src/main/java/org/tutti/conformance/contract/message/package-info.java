/// Messages between two ranks: what was sent is what is received, whatever the mode, the length and the memory.
/// Messages of one sender do not overtake each other; a wildcard takes any of them, a probe tells what the
/// receive
/// will get. A wrong argument is found before anything is sent, and a message that fails leaves all others
/// alone.
/// MPI 4.1, chapter 3.
@NullMarked
package org.tutti.conformance.contract.message;

import org.jspecify.annotations.NullMarked;
