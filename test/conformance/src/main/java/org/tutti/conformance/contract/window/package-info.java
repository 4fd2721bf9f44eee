/// Contracts of windows, the memory for one-sided communication. MPI 4.1, chapter 12.
@NullMarked
package org.tutti.conformance.contract.window;

import org.jspecify.annotations.NullMarked;
