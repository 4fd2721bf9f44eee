package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.spi.Collective.Blocks;
import org.tutti.mpi.spi.Memory;

/// Data that is not one run of bytes.
sealed interface Pieces {
    void gatherInto(MemorySegment target);

    void scatterFrom(MemorySegment source);

    /// One byte each on the way.
    record Booleans(boolean[] array, int offset, int count) implements Pieces {
        @Override
        public void gatherInto(MemorySegment target) {
            for (int i = 0; i < count; i++) {
                target.set(ValueLayout.JAVA_BYTE, i, (byte) (array[offset + i] ? 1 : 0));
            }
        }

        @Override
        public void scatterFrom(MemorySegment source) {
            for (int i = 0; i < count; i++) {
                array[offset + i] = source.get(ValueLayout.JAVA_BYTE, i) != 0;
            }
        }
    }

    /// One after the other.
    record Rows(MemorySegment[] rows) implements Pieces {
        @Override
        public void gatherInto(MemorySegment target) {
            long at = 0;
            for (MemorySegment row : rows) {
                MemorySegment.copy(row, 0, target, at, row.byteSize());
                at += row.byteSize();
            }
        }

        @Override
        public void scatterFrom(MemorySegment source) {
            long at = 0;
            for (MemorySegment row : rows) {
                MemorySegment.copy(source, at, row, 0, row.byteSize());
                at += row.byteSize();
            }
        }
    }

    /// Buffers of their own, each with its memory; there is no segment of all.
    record Several(Buf[] bufs, Memory[] used) implements Pieces {
        @Override
        public void gatherInto(MemorySegment none) {
            for (int i = 0; i < bufs.length; i++) bufs[i].refresh(used[i]);
        }

        @Override
        public void scatterFrom(MemorySegment none) {
            for (int i = 0; i < bufs.length; i++) bufs[i].fromMemory(used[i]);
        }
    }

    /// One after the other without gaps. Null has nothing but zeros.
    record Records(@Nullable Record[] array, int offset, int count, RecordShape shape) implements Pieces {
        @Override
        public void gatherInto(MemorySegment target) {
            int each = shape.type().bytes();
            for (int i = 0; i < count; i++) {
                Record r = array[offset + i];
                if (r == null) target.asSlice((long) i * each, each).fill((byte) 0);
                else shape.write(true, target, (long) i * each, r);
            }
        }

        @Override
        public void scatterFrom(MemorySegment source) {
            scatter(source, 0, count);
        }

        /// Only what lies in blocks, if there are any: the others are as they were.
        void scatterFrom(MemorySegment source, @Nullable Blocks blocks) {
            if (blocks == null) {
                scatterFrom(source);
                return;
            }
            for (int b = 0; b < blocks.counts().length; b++) scatter(source, blocks.displacement(b), blocks.count(b));
        }

        /// The first `bytes`.
        void scatterFrom(MemorySegment source, long bytes) {
            scatter(source, 0, bytes / shape.type().bytes());
        }

        private void scatter(MemorySegment source, long first, long records) {
            int each = shape.type().bytes();
            for (long i = first; i < first + records; i++) {
                array[offset + (int) i] = shape.read(true, source, i * each);
            }
        }

        long firstNull(long from, long records) {
            for (long i = from; i < from + records; i++) if (array[offset + (int) i] == null) return i;
            return -1;
        }
    }

    /// Value, place, and what `type` has of nothing behind them.
    record Pairs(MemorySegment values, MemorySegment places, int valueBytes, Datatype type) implements Pieces {
        @Override
        public void gatherInto(MemorySegment target) {
            for (long i = 0, at = 0; at < target.byteSize(); i++, at += type.bytes()) {
                MemorySegment.copy(values, i * valueBytes, target, at, valueBytes);
                MemorySegment.copy(places, i * Integer.BYTES, target, at + valueBytes, Integer.BYTES);
            }
        }

        @Override
        public void scatterFrom(MemorySegment source) {
            for (long i = 0, at = 0; at < source.byteSize(); i++, at += type.bytes()) {
                MemorySegment.copy(source, at, values, i * valueBytes, valueBytes);
                MemorySegment.copy(source, at + valueBytes, places, i * Integer.BYTES, Integer.BYTES);
            }
        }
    }
}
