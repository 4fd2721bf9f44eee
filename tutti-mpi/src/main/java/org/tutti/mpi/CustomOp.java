package org.tutti.mpi;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.DoubleBinaryOperator;
import java.util.function.IntBinaryOperator;
import java.util.function.LongBinaryOperator;

/// A user's operation: a function of two elements of one type.
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
                            in.get(JAVA_DOUBLE_UNALIGNED, inOffset + i),
                            inout.get(JAVA_DOUBLE_UNALIGNED, inoutOffset + i));
                    inout.set(JAVA_DOUBLE_UNALIGNED, inoutOffset + i, r);
                }
            }
            case LongBinaryOperator f -> {
                for (long i = 0; i < count * step; i += step) {
                    long r = f.applyAsLong(
                            in.get(JAVA_LONG_UNALIGNED, inOffset + i), inout.get(JAVA_LONG_UNALIGNED, inoutOffset + i));
                    inout.set(JAVA_LONG_UNALIGNED, inoutOffset + i, r);
                }
            }
            case IntBinaryOperator f -> {
                for (long i = 0; i < count * step; i += step) {
                    int r = f.applyAsInt(
                            in.get(JAVA_INT_UNALIGNED, inOffset + i), inout.get(JAVA_INT_UNALIGNED, inoutOffset + i));
                    inout.set(JAVA_INT_UNALIGNED, inoutOffset + i, r);
                }
            }
            default -> throw new IllegalStateException("operation " + name + " has a function of an unknown kind");
        }
    }
}
