/// The length of calls: the number of executed methods of Tutti, and of accesses to shared memory.
///
///     CallCountTest ──▶ CountingLoader ──defines──▶ CountedCalls, org.tutti.mpi, …
///           │                 │ inserts calls of             │
///           └──▶ CountFile    └─────▶ MethodCounter ◀────────┘
///
/// In the first second of a program, code is interpreted or compiled only by C1, so the time of a message is
/// proportional to the number of methods. Benchmarks of warm programs do not show this. The counts are equal in
/// each run, even on a busy machine.
///
/// Rules: the counted rank waits for no other rank, and only this rank's thread is counted. Methods of the JDK,
/// bulk copies of segments, and accesses through buffers do not count.
@NullMarked
package org.tutti.lab.stress.count;

import org.jspecify.annotations.NullMarked;
