package org.tutti.spi.reduce;

import java.lang.foreign.MemorySegment;
import org.tutti.spi.type.ElementType;

/// The standard's operations (MPI 4.1, sections 6.9.2 and 6.9.4).
public enum PredefinedReduction implements Reduction {
    SUM,
    PROD,
    MIN,
    MAX,
    LAND,
    LOR,
    LXOR,
    BAND,
    BOR,
    BXOR,
    MINLOC,
    MAXLOC;

    @Override
    public boolean isCommutative() {
        return true;
    }

    @Override
    public boolean supports(ElementType type) {
        return switch (this) {
            case SUM, PROD -> type.isNumber() || type.isComplex();
            case MIN, MAX -> type.isNumber();
            case LAND, LOR, LXOR, BAND, BOR, BXOR -> type == ElementType.BOOLEAN || type.isWholeNumber();
            case MINLOC, MAXLOC -> type.isPair();
        };
    }

    @Override
    public void apply(
            ElementType type, MemorySegment in, long inOffset, MemorySegment inout, long inoutOffset, long count) {
        ReduceKernels.apply(this, type, in, inOffset, inout, inoutOffset, count);
    }
}
