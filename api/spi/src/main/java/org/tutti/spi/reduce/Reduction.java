package org.tutti.spi.reduce;

import java.lang.foreign.MemorySegment;
import org.tutti.spi.type.ElementType;

/// A reduction of two elements, as engines use it. All ranks of a call pass reductions with the same name.
public sealed interface Reduction permits PredefinedReduction, CustomReduction, OrderedReduction, WindowReduction {
    String name();

    /// Returns whether operands may be combined in any order.
    boolean isCommutative();

    /// Returns whether operands are combined sequentially, in rank order.
    default boolean isInRankOrder() {
        return this instanceof OrderedReduction;
    }

    /// Returns whether this reduction is defined for elements of `type`.
    boolean supports(ElementType type);

    /// Computes `inout[i] = in[i] op inout[i]` for `count` elements. `in` contains the operands of lower ranks.
    /// The two ranges do not overlap.
    void apply(ElementType type, MemorySegment in, long inOffset, MemorySegment inout, long inoutOffset, long count);
}
