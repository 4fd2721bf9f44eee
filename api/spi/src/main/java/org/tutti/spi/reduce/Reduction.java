package org.tutti.spi.reduce;

import java.lang.foreign.MemorySegment;
import org.tutti.spi.type.ElementType;

/// What a reduction does with two elements, as engines see it. Ranks of one call pass reductions of the same name.
public sealed interface Reduction permits PredefinedReduction, CustomReduction, OrderedReduction, WindowReduction {
    String name();

    /// Whether operands may be combined in any order.
    boolean isCommutative();

    /// Whether operands are combined one after the other, in rank order.
    default boolean isInRankOrder() {
        return this instanceof OrderedReduction;
    }

    /// Whether it is defined for elements of `type`.
    boolean supports(ElementType type);

    /// `inout[i] = in[i] op inout[i]` for `count` elements: `in` holds the operands of lower ranks. The two
    /// parts do not overlap.
    void apply(ElementType type, MemorySegment in, long inOffset, MemorySegment inout, long inoutOffset, long count);
}
