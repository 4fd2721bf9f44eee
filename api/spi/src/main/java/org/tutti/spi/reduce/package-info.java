/// Reductions and their loops: what an engine applies to two blocks of elements.
///
///     Reduction ─┬─ PredefinedReduction ──▶ ReduceKernels ──▶ one class for each element type
///                ├─ CustomReduction: a user's function
///                └─ OrderedReduction: another one, in rank order
///
/// Rules: segments, offsets and [org.tutti.spi.type.ElementType] only; nothing is allocated after the first call of
/// a thread.
@NullMarked
package org.tutti.spi.reduce;

import org.jspecify.annotations.NullMarked;
