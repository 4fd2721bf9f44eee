/// Jobs of which this process is rank 0 although no launcher started it, for pools of processes.
///
/// Rules: this package is independent of the user API's types, which implement [WorkerJob].
@NullMarked
package org.tutti.mpi.pool;

import org.jspecify.annotations.NullMarked;
