/// Functions of this module for compatibility layers, not for programs. The user API implements these
/// functions, so this package uses no class of the user API: there must be no cyclic dependency. Therefore only
/// the methods in [org.tutti.mpi.dropin] have the concrete types.
@NullMarked
package org.tutti.mpi.internal;

import org.jspecify.annotations.NullMarked;
