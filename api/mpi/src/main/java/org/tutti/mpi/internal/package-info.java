/// Functions of this module for compatibility layers, not for programs. The package uses no class of the user
/// API, which implements the functions, so that there is no cyclic dependency; the methods in
/// [org.tutti.mpi.dropin] have the concrete types.
@NullMarked
package org.tutti.mpi.internal;

import org.jspecify.annotations.NullMarked;
