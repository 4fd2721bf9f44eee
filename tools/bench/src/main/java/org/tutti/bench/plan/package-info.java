/// The tests and the options, shared by the command, the launcher and the ranks.
///
///     command line ──▶ BenchOptions (a BenchTest, sizes, Storage, BufferElement, …) ──arguments──▶ the ranks
///
/// This package does not measure, print or start processes.
@NullMarked
package org.tutti.bench.plan;

import org.jspecify.annotations.NullMarked;
