package org.tutti.mpi;

import java.lang.foreign.MemorySegment;

/// The standard's operations; see the table at [Op].
public enum PredefinedOp implements Op {
    SUM,
    PROD,
    MIN,
    MAX,
    LAND,
    LOR,
    LXOR,
    BAND,
    BOR,
    BXOR;

    @Override
    public boolean isCommutative() {
        return true;
    }

    @Override
    public Op commutative() {
        return this;
    }

    @Override
    public boolean supports(Datatype type) {
        boolean arithmetic = this == SUM || this == PROD || this == MIN || this == MAX;
        if (type == Datatype.PACKED) return false;
        if (type == Datatype.BOOLEAN) return !arithmetic;
        if (type == Datatype.FLOAT || type == Datatype.DOUBLE) return arithmetic;
        return true;
    }

    @Override
    public void apply(
            Datatype type, MemorySegment in, long inOffset, MemorySegment inout, long inoutOffset, long count) {
        ReduceKernels.apply(this, type, in, inOffset, inout, inoutOffset, count);
    }
}
