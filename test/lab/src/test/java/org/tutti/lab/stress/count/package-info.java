/// The length of a call: the executed methods of Tutti, and the accesses to shared memory.
///
///     CallCountTest ──▶ CountingLoader ──defines──▶ CountedCalls, org.tutti.mpi, …
///           │                 │ inserts calls of             │
///           └──▶ CountFile    └─────▶ MethodCounter ◀────────┘
///
/// In a program's first second, code is interpreted or has only been compiled by C1, and the time of a message
/// is proportional to the number of methods. Benchmarks of warm programs do not show it. The count is the same
/// in each run, on a busy machine, too.
///
/// Rules: the counted rank waits for no other rank, and only the thread of this rank is counted. Methods of the
/// JDK, bulk copies of segments and accesses through buffers do not count.
@NullMarked
package org.tutti.lab.stress.count;

import org.jspecify.annotations.NullMarked;
