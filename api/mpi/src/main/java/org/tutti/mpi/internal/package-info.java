/// The door for drop-ins: what they need of this module and programs do not. It names no class of the user API,
/// which implements it, so that no two packages need each other; [org.tutti.mpi.dropin] gives its methods their types.
@NullMarked
package org.tutti.mpi.door;

import org.jspecify.annotations.NullMarked;
