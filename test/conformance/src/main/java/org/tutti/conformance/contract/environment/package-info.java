/// What a rank may rely on before it sends anything: who and where it is, time and memory; calls from many
/// threads
/// at once, platform and virtual ones; and words for the wrong arguments that belong to no other room.
/// MPI 4.1, chapters 9 and 11.
@NullMarked
package org.tutti.conformance.contract.environment;

import org.jspecify.annotations.NullMarked;
