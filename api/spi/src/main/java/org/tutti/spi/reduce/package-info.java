/// Reductions and the loops that an engine applies to two blocks of elements.
///
///     Reduction ─┬─ PredefinedReduction ──▶ ReduceKernels ──▶ one class for each group of element types
///                ├─ CustomReduction: a function of the program
///                └─ OrderedReduction: applies a reduction in rank order
///
/// Rules: the loops use only segments, offsets and [org.tutti.spi.type.ElementType], and do not allocate after
/// the first call of a thread.
@NullMarked
package org.tutti.spi.reduce;

import org.jspecify.annotations.NullMarked;
