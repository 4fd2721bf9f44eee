/// The tests of `python -m mpi4py.bench`, with the options, defaults and output: mpi4py users run these to check
/// an installation.
///
/// Differences: rank 0 prints for all ranks. pingpong chooses the amount of warm-up unless `-s` specifies it.
/// The arrays are Java arrays (`-a heap`, also used for `numpy`), memory from `mpi.alloc` (`-a segment`) or a
/// direct NIO buffer (`-a none`). `-p` and `-o` send objects; large arrays are never copied into the message.
@NullMarked
package org.tutti.bench.mpi4py;

import org.jspecify.annotations.NullMarked;
