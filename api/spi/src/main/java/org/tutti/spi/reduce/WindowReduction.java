package org.tutti.spi.reduce;

import java.lang.foreign.MemorySegment;
import org.tutti.spi.type.ElementType;

/// The standard's operations that only accumulates can use. They are defined for elements of every type (MPI
/// 4.1, section 12.3.4).
public enum WindowReduction implements Reduction {
    /// Stores the new element.
    REPLACE,
    /// Does not change the element, so that the access only returns it.
    NO_OP;

    @Override
    public boolean isCommutative() {
        return false;
    }

    @Override
    public boolean supports(ElementType type) {
        return true;
    }

    @Override
    public void apply(
            ElementType type, MemorySegment in, long inOffset, MemorySegment inout, long inoutOffset, long count) {
        if (this == REPLACE) MemorySegment.copy(in, inOffset, inout, inoutOffset, count * type.size());
    }
}
