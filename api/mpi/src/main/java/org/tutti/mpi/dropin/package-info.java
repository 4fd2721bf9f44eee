/// Between a drop-in, whose classes are those of an older API, and `org.tutti.mpi`:
///
///     mpi.Comm ──array, offset, type──▶ RawBuffers ──Buf──▶ org.tutti.mpi ──door──▶ what programs do not need
///
/// [RawBuffers] describes data as raw bytes, [LastBuffer] keeps the last description, [DropIn] begins and leaves a job,
/// [Counts] counts what came. Nothing here knows which of the two APIs it serves.
@NullMarked
package org.tutti.mpi.dropin;

import org.jspecify.annotations.NullMarked;
