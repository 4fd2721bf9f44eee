package org.tutti.spi.reduce;

import java.lang.foreign.MemorySegment;
import org.tutti.spi.type.ElementType;

/// A reduction that the program defines, for a single element type. Two reductions are equal if name,
/// commutativity, type and function are equal.
public record CustomReduction(String name, boolean isCommutative, ElementType type, Combiner loop)
        implements Reduction {
    /// Combines two blocks of elements of `elementBytes` bytes each, as [Reduction#apply] does.
    @FunctionalInterface
    public interface Combiner {
        void apply(
                MemorySegment in, long inOffset, MemorySegment inout, long inoutOffset, long count, int elementBytes);
    }

    @Override
    public boolean supports(ElementType other) {
        return other == type;
    }

    @Override
    public void apply(
            ElementType elements, MemorySegment in, long inOffset, MemorySegment inout, long inoutOffset, long count) {
        loop.apply(in, inOffset, inout, inoutOffset, count, elements.bytes());
    }
}
