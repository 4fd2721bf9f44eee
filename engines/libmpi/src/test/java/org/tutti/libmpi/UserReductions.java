package org.tutti.libmpi;

import java.lang.foreign.MemorySegment;
import java.util.function.IntBinaryOperator;
import org.tutti.spi.reduce.CustomReduction;
import org.tutti.spi.reduce.Reduction;
import org.tutti.spi.type.ElementType;
import org.tutti.spi.type.Elements;

/// User operations, as passed by the API.
final class UserReductions {
    private UserReductions() {}

    private record Loop(IntBinaryOperator f) implements CustomReduction.Combiner {
        @Override
        public void apply(MemorySegment in, long inAt, MemorySegment inout, long inoutAt, long count, int bytes) {
            for (long i = 0; i < count * bytes; i += bytes) {
                int r = f.applyAsInt(Elements.getInt(in, inAt + i), Elements.getInt(inout, inoutAt + i));
                Elements.setInt(inout, inoutAt + i, r);
            }
        }
    }

    static Reduction ofInt(String name, IntBinaryOperator f) {
        return new CustomReduction(name, false, ElementType.INT, new Loop(f));
    }

    static Reduction commutative(String name, IntBinaryOperator f) {
        return new CustomReduction(name, true, ElementType.INT, new Loop(f));
    }
}
