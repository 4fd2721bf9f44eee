/// Support for compatibility layers, which contain the classes of a legacy API:
///
///     mpi.Comm ──array, offset, type──▶ RawBuffers ──Buf──▶ org.tutti.mpi ──bridge──▶ internal functions
///
/// [RawBuffers] describes data as raw bytes, [LastBuffer] caches the last description, [DropIn] joins and
/// leaves a job, [Counts] converts sizes of received data. This package does not depend on either legacy API.
@NullMarked
package org.tutti.mpi.dropin;

import org.jspecify.annotations.NullMarked;
