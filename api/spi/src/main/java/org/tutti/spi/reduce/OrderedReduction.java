package org.tutti.spi.reduce;

import java.lang.foreign.MemorySegment;
import org.tutti.spi.type.ElementType;

/// A reduction that combines the operands sequentially, in rank order.
public record OrderedReduction(Reduction of) implements Reduction {
    @Override
    public String name() {
        return of.name() + " in rank order";
    }

    @Override
    public boolean isCommutative() {
        return false;
    }

    @Override
    public boolean supports(ElementType type) {
        return of.supports(type);
    }

    @Override
    public void apply(
            ElementType type, MemorySegment in, long inOffset, MemorySegment inout, long inoutOffset, long count) {
        of.apply(type, in, inOffset, inout, inoutOffset, count);
    }
}
