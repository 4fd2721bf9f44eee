/// The part of the user API that only tutti-device can access: memory that packs elements, and routes between
/// devices for collective calls. It uses no class of the user API, which calls it, so that there is no cyclic
/// dependency between the two packages.
@NullMarked
package org.tutti.mpi.devices;

import org.jspecify.annotations.NullMarked;
