/// The part of the user API that only tutti-device can access: memory that packs elements, and routes between
/// devices for collective calls. The user API calls this package, so this package uses no class of the user
/// API: there must be no cyclic dependency between the two packages.
@NullMarked
package org.tutti.mpi.devices;

import org.jspecify.annotations.NullMarked;
