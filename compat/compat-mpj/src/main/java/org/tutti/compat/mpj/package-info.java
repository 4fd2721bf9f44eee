/// Object serialization for `mpi` and `mpjbuf`; not for other use.
@NullMarked
package org.tutti.compat.mpj;

import org.jspecify.annotations.NullMarked;
