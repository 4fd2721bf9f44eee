/// Objects as bytes, for `mpi` and `mpjbuf`; for nobody else.
@NullMarked
package org.tutti.compat.mpj;

import org.jspecify.annotations.NullMarked;
