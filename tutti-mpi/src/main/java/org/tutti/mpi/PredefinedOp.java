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
    BXOR,
    MINLOC,
    MAXLOC;

    @Override
    public boolean isCommutative() {
        return true;
    }

    @Override
    public Op commutative() {
        return this;
    }

    @Override
    public boolean isInRankOrder() {
        return false;
    }

    @Override
    public Op inRankOrder() {
        return new OrderedOp(this);
    }

    @Override
    public void reduceLocal(Buf in, Buf inout) {
        ReduceLocal.run(this, in, inout);
    }

    @Override
    public boolean supports(Datatype type) {
        return switch (this) {
            case SUM, PROD -> type.isNumber() || type.isComplex();
            case MIN, MAX -> type.isNumber();
            case LAND, LOR, LXOR, BAND, BOR, BXOR -> type == Datatype.BOOLEAN || type.isWholeNumber();
            case MINLOC, MAXLOC -> type.isPair();
        };
    }

    @Override
    public void apply(
            Datatype type, MemorySegment in, long inOffset, MemorySegment inout, long inoutOffset, long count) {
        ReduceKernels.apply(this, type, in, inOffset, inout, inoutOffset, count);
    }
}
