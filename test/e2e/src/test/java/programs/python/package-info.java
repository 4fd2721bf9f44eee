/// Jobs in which the other ranks are programs of mpi4py, in `src/test/python`.
@NullMarked
package programs.python;

import org.jspecify.annotations.NullMarked;
