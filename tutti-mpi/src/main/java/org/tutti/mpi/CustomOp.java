package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.DoubleBinaryOperator;
import java.util.function.IntBinaryOperator;
import java.util.function.LongBinaryOperator;
import org.tutti.spi.type.Elements;

/// A user's operation: a function of two elements of one type, or of two blocks of them.
public record CustomOp(String name, boolean isCommutative, Datatype type, Object function) implements Op {
    public CustomOp {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(function, "function");
    }

    @Override
    public Op commutative() {
        return new CustomOp(name, true, type, function);
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
    public boolean supports(Datatype other) {
        return other == type;
    }

    @Override
    public void apply(
            Datatype elements, MemorySegment in, long inOffset, MemorySegment inout, long inoutOffset, long count) {
        long step = elements.bytes();
        switch (function) {
            case DoubleBinaryOperator f -> {
                for (long i = 0; i < count * step; i += step) {
                    double r = f.applyAsDouble(
                            Elements.getDouble(in, inOffset + i), Elements.getDouble(inout, inoutOffset + i));
                    Elements.setDouble(inout, inoutOffset + i, r);
                }
            }
            case LongBinaryOperator f -> {
                for (long i = 0; i < count * step; i += step) {
                    long r =
                            f.applyAsLong(Elements.getLong(in, inOffset + i), Elements.getLong(inout, inoutOffset + i));
                    Elements.setLong(inout, inoutOffset + i, r);
                }
            }
            case IntBinaryOperator f -> {
                for (long i = 0; i < count * step; i += step) {
                    int r = f.applyAsInt(Elements.getInt(in, inOffset + i), Elements.getInt(inout, inoutOffset + i));
                    Elements.setInt(inout, inoutOffset + i, r);
                }
            }
            case Op.FloatOperator f -> {
                for (long i = 0; i < count * step; i += step) {
                    float r = f.apply(Elements.getFloat(in, inOffset + i), Elements.getFloat(inout, inoutOffset + i));
                    Elements.setFloat(inout, inoutOffset + i, r);
                }
            }
            case Op.Kernel k ->
                k.combine(
                        in.asSlice(inOffset, count * step).asReadOnly(),
                        inout.asSlice(inoutOffset, count * step),
                        count);
            default -> throw new IllegalStateException("operation " + name + " has a function of an unknown kind");
        }
    }
}
