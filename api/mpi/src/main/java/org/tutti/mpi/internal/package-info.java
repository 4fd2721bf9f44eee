/// Functions of this module for drop-ins, which programs do not need. The package names no class of the user
/// API, which implements it, so that no two packages need each other; [org.tutti.mpi.dropin] gives its methods
/// their types.
@NullMarked
package org.tutti.mpi.internal;

import org.jspecify.annotations.NullMarked;
