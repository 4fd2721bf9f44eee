/// The tests of `python -m mpi4py.bench`, with its options, defaults and lines: what its users type to
/// see whether an installation works.
///
/// Differences: rank 0 prints for all; pingpong warms up until it is warm unless `-s` says how often; its
/// arrays are Java's (`-a heap`, which is also what `numpy` means), memory from `mpi.alloc` (`-a
/// segment`) or a direct NIO buffer (`-a none`); `-p` and `-o` send objects, whose large arrays never are
/// copied into the message.
@NullMarked
package org.tutti.bench.mpi4py;

import org.jspecify.annotations.NullMarked;
