/// The part of the user API that only tutti-device can access: memory that packs elements, and routes between
/// devices for collective calls. It uses no class of the user API, which implements the other side, so the two
/// packages do not depend on each other.
@NullMarked
package org.tutti.mpi.devices;

import org.jspecify.annotations.NullMarked;
