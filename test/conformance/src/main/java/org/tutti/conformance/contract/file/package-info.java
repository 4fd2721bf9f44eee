/// Contracts of files that ranks read and write together. MPI 4.1, chapter 14.
@NullMarked
package org.tutti.conformance.contract.file;

import org.jspecify.annotations.NullMarked;
