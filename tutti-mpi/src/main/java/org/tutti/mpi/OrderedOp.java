package org.tutti.mpi;

import java.lang.foreign.MemorySegment;

/// An operation whose operands are combined one after the other, in rank order; see [Op#inRankOrder].
public record OrderedOp(Op op) implements Op {
    @Override
    public String name() {
        return op.name() + " in rank order";
    }

    @Override
    public boolean isCommutative() {
        return false;
    }

    @Override
    public Op commutative() {
        return op.commutative();
    }

    @Override
    public boolean isInRankOrder() {
        return true;
    }

    @Override
    public Op inRankOrder() {
        return this;
    }

    @Override
    public boolean supports(Datatype type) {
        return op.supports(type);
    }

    @Override
    public void apply(
            Datatype type, MemorySegment in, long inOffset, MemorySegment inout, long inoutOffset, long count) {
        op.apply(type, in, inOffset, inout, inoutOffset, count);
    }

    @Override
    public void reduceLocal(Buf in, Buf inout) {
        op.reduceLocal(in, inout);
    }
}
