package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import java.util.function.DoubleBinaryOperator;
import java.util.function.IntBinaryOperator;
import java.util.function.LongBinaryOperator;
import org.tutti.spi.reduce.CustomReduction.Combiner;
import org.tutti.spi.type.Elements;

/// Loops that apply a function of two elements to all elements of two blocks. Two loops are equal if the
/// functions are the same object.
final class OpLoops {
    private OpLoops() {}

    record OfDouble(DoubleBinaryOperator f) implements Combiner {
        @Override
        public void apply(MemorySegment in, long inAt, MemorySegment inout, long inoutAt, long count, int bytes) {
            for (long i = 0; i < count * Double.BYTES; i += Double.BYTES) {
                double r = f.applyAsDouble(Elements.getDouble(in, inAt + i), Elements.getDouble(inout, inoutAt + i));
                Elements.setDouble(inout, inoutAt + i, r);
            }
        }
    }

    record OfFloat(Op.FloatOperator f) implements Combiner {
        @Override
        public void apply(MemorySegment in, long inAt, MemorySegment inout, long inoutAt, long count, int bytes) {
            for (long i = 0; i < count * Float.BYTES; i += Float.BYTES) {
                float r = f.apply(Elements.getFloat(in, inAt + i), Elements.getFloat(inout, inoutAt + i));
                Elements.setFloat(inout, inoutAt + i, r);
            }
        }
    }

    record OfLong(LongBinaryOperator f) implements Combiner {
        @Override
        public void apply(MemorySegment in, long inAt, MemorySegment inout, long inoutAt, long count, int bytes) {
            for (long i = 0; i < count * Long.BYTES; i += Long.BYTES) {
                long r = f.applyAsLong(Elements.getLong(in, inAt + i), Elements.getLong(inout, inoutAt + i));
                Elements.setLong(inout, inoutAt + i, r);
            }
        }
    }

    record OfInt(IntBinaryOperator f) implements Combiner {
        @Override
        public void apply(MemorySegment in, long inAt, MemorySegment inout, long inoutAt, long count, int bytes) {
            for (long i = 0; i < count * Integer.BYTES; i += Integer.BYTES) {
                int r = f.applyAsInt(Elements.getInt(in, inAt + i), Elements.getInt(inout, inoutAt + i));
                Elements.setInt(inout, inoutAt + i, r);
            }
        }
    }

    /// A loop that the program has passed.
    record OfBlocks(Op.Kernel f) implements Combiner {
        @Override
        public void apply(MemorySegment in, long inAt, MemorySegment inout, long inoutAt, long count, int bytes) {
            long length = count * bytes;
            f.combine(in.asSlice(inAt, length).asReadOnly(), inout.asSlice(inoutAt, length), count);
        }
    }
}
