/// What can be measured and how it is asked for: the words that the command, the launcher's side and the
/// ranks share.
///
///     command line ──▶ BenchOptions (a BenchTest, sizes, Storage, ElementType, …) ──words──▶ the ranks
///
/// Nothing here measures, prints or starts anything.
@NullMarked
package org.tutti.bench.plan;

import org.jspecify.annotations.NullMarked;
