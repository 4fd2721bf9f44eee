/// The part of the user API that only tutti-device sees: memory that packs its elements, and routes between devices for
/// collective calls. It names no class of the user API, which implements the other side, so that the two packages do
/// not
/// depend on each other.
@NullMarked
package org.tutti.mpi.devices;

import org.jspecify.annotations.NullMarked;
