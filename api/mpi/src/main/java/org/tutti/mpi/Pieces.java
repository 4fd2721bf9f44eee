package org.tutti.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.devices.PackedRuns;
import org.tutti.mpi.devices.PackingMemory;
import org.tutti.spi.Collective.Operand;
import org.tutti.spi.CommPort;
import org.tutti.spi.Memory;
import org.tutti.spi.MessageErrors;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.DeviceLayout;
import org.tutti.spi.type.Layout;

/// Data that an engine cannot access as one segment of memory.
sealed interface Pieces {
    void gatherInto(MemorySegment target);

    /// Copies `bytes` bytes of the packed data, starting at byte `from`, to the pieces.
    void scatterFrom(MemorySegment source, long from, long bytes);

    // Packed copies of buffers that consist of pieces or have a layout. If the JDK refuses to access memory,
    // the error is ERR_BUFFER.

    /// Returns a packed copy.
    static Memory packed(Buf buf) {
        MemorySegment copy = Arena.ofAuto().allocate(buf.sizeBytes(), 8);
        return packed(buf, copy, "buf", null);
    }

    /// Returns a packed copy, in the memory that is reserved for copies of `operand`.
    static Memory packed(Buf buf, Operand operand) {
        MemorySegment copy = operand.room(buf.sizeBytes());
        return packed(buf, copy, operand.call().operation, operand.call().port());
    }

    private static Memory packed(Buf buf, MemorySegment copy, String operation, @Nullable CommPort port) {
        try {
            buf.packInto(copy);
        } catch (WrongThreadException | IllegalStateException e) {
            throw refused(operation, port, e);
        }
        return new Memory.Native(copy);
    }

    /// Copies the data of a completed receive to `buf`, unless the data was received directly into `buf`.
    static void copyBack(Transfer t, Buf buf) {
        try {
            buf.fromMemory(t.memory, 0, t.receivedBytes);
        } catch (WrongThreadException | IllegalStateException e) {
            throw refused(t.operation, t.port(), e);
        }
    }

    /// Returns the exception for memory that the JDK refused to access. Returns `e` itself if it is a different
    /// exception.
    static RuntimeException refused(String operation, @Nullable CommPort port, RuntimeException e) {
        return MpiException.asRuntime(MessageErrors.ofMemory(operation, port, e));
    }

    /// An array of `boolean`, which is packed as one byte per element.
    record Booleans(boolean[] array, int offset, int count) implements Pieces {
        @Override
        public void gatherInto(MemorySegment target) {
            for (int i = 0; i < count; i++) {
                target.set(ValueLayout.JAVA_BYTE, i, (byte) (array[offset + i] ? 1 : 0));
            }
        }

        @Override
        public void scatterFrom(MemorySegment source, long from, long bytes) {
            for (int i = (int) from; i < from + bytes; i++) {
                array[offset + i] = source.get(ValueLayout.JAVA_BYTE, i) != 0;
            }
        }
    }

    /// Elements of a `boolean` array, with gaps between the elements. Each element is sent as one byte. Gaps
    /// are not accessed.
    record PlacedBooleans(boolean[] array, PackedRuns runs) implements Pieces {
        @Override
        public void gatherInto(MemorySegment target) {
            for (int i = 0; i < runs.count(); i++) {
                long gap = runs.begin(i) - runs.offset(i);
                for (long at = runs.offset(i); at < runs.offset(i + 1); at++) {
                    target.set(ValueLayout.JAVA_BYTE, at, (byte) (array[(int) (at + gap)] ? 1 : 0));
                }
            }
        }

        @Override
        public void scatterFrom(MemorySegment source, long from, long bytes) {
            long end = from + bytes;
            for (int i = runs.find(from); i < runs.count() && runs.offset(i) < end; i++) {
                long gap = runs.begin(i) - runs.offset(i), last = Math.min(end, runs.offset(i + 1));
                for (long at = Math.max(from, runs.offset(i)); at < last; at++) {
                    array[(int) (at + gap)] = source.get(ValueLayout.JAVA_BYTE, at) != 0;
                }
            }
        }
    }

    /// Data in the memory of a device. The device copies the data.
    ///
    /// @param runs the runs of which the data consists; null if the data is the whole memory
    record OnDevice(DeviceMemory memory, @Nullable PackedRuns runs) implements Pieces {
        /// Returns the layout of the data for a message that begins now.
        Layout started() {
            DeviceMemory now = memory.started();
            return runs == null ? new Started(now) : new StartedRuns(now, runs);
        }

        @Override
        public void gatherInto(MemorySegment target) {
            if (runs == null) memory.copyTo(target, 0);
            else copyTo(memory.started(), target, runs, 0);
        }

        @Override
        public void scatterFrom(MemorySegment source, long from, long bytes) {
            if (runs == null) memory.copyFrom(source.asSlice(from, bytes), from);
            else copyFrom(memory.started(), source.asSlice(from, bytes), runs, from);
        }
    }

    private static void copyTo(DeviceMemory memory, MemorySegment target, PackedRuns runs, long from) {
        if (memory instanceof PackingMemory packing) {
            packing.copyTo(target, runs, from);
        } else {
            runs.forEachPart(from, target.byteSize(), (at, place, n) -> memory.copyTo(target.asSlice(at, n), place));
        }
    }

    private static void copyFrom(DeviceMemory memory, MemorySegment source, PackedRuns runs, long to) {
        if (memory instanceof PackingMemory packing) {
            packing.copyFrom(source, runs, to);
        } else {
            runs.forEachPart(to, source.byteSize(), (at, place, n) -> memory.copyFrom(source.asSlice(at, n), place));
        }
    }

    /// Returns the kind of a device, for example `cuda` for `cuda:0`.
    static String kind(DeviceMemory memory) {
        String name = memory.device();
        int colon = name.indexOf(':');
        return colon < 0 ? name : name.substring(0, colon);
    }

    /// See [OnDevice#started].
    record Started(DeviceMemory memory) implements DeviceLayout {
        @Override
        public String deviceKind() {
            return kind(memory);
        }

        @Override
        public long address() {
            return memory.address();
        }

        @Override
        public long lengthBytes() {
            return memory.byteSize();
        }

        @Override
        public void pack(MemorySegment none, long base, long from, MemorySegment to, long toOffset, long bytes) {
            if (bytes > 0) memory.copyTo(to.asSlice(toOffset, bytes), from);
        }

        @Override
        public void unpack(
                MemorySegment none, long base, long at, MemorySegment source, long sourceOffset, long bytes) {
            if (bytes > 0) memory.copyFrom(source.asSlice(sourceOffset, bytes), at);
        }
    }

    /// See [OnDevice#started].
    record StartedRuns(DeviceMemory memory, PackedRuns all) implements Layout {
        @Override
        public long lengthBytes() {
            return all.offset(all.count());
        }

        @Override
        public void pack(MemorySegment none, long base, long from, MemorySegment to, long toOffset, long bytes) {
            if (bytes > 0) copyTo(memory, to.asSlice(toOffset, bytes), all, from);
        }

        @Override
        public void unpack(
                MemorySegment none, long base, long at, MemorySegment source, long sourceOffset, long bytes) {
            if (bytes > 0) copyFrom(memory, source.asSlice(sourceOffset, bytes), all, at);
        }

        @Override
        public long runs() {
            return all.count();
        }

        @Override
        public void spans(long[] begins, long[] ends) {
            for (int i = 0; i < all.count(); i++) {
                begins[i] = all.begin(i);
                ends[i] = all.begin(i) + all.offset(i + 1) - all.offset(i);
            }
        }

        @Override
        public boolean overlaps() {
            return all.overlaps();
        }
    }

    /// Rows that are packed one after the other.
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
        public void scatterFrom(MemorySegment source, long from, long bytes) {
            long at = 0;
            for (MemorySegment row : rows) {
                long first = Math.max(at, from), end = Math.min(at + row.byteSize(), from + bytes);
                if (first < end) MemorySegment.copy(source, first, row, first - at, end - first);
                at += row.byteSize();
            }
        }
    }

    /// Several buffers and the memory of each, without a common segment.
    record Several(Buf[] bufs, Memory[] used) implements Pieces {
        @Override
        public void gatherInto(MemorySegment none) {
            for (int i = 0; i < bufs.length; i++) bufs[i].refresh(used[i]);
        }

        @Override
        public void scatterFrom(MemorySegment none, long from, long bytes) {
            for (int i = 0; i < bufs.length; i++) {
                if (used[i] != Memory.NONE) bufs[i].fromMemory(used[i], 0, bufs[i].sizeBytes());
            }
        }
    }

    /// Consecutive records of an array, packed without gaps. Null is encoded as zeros.
    record RecordArray(@Nullable Record[] array, int offset, int count, RecordShape shape) implements Pieces {
        @Override
        public void gatherInto(MemorySegment target) {
            int each = shape.type().elements().bytes();
            for (int i = 0; i < count; i++) {
                Record r = array[offset + i];
                if (r == null) target.asSlice((long) i * each, each).fill((byte) 0);
                else shape.write(true, target, (long) i * each, r);
            }
        }

        /// Copies packed data to the records. Records that follow the end of the message are not replaced.
        @Override
        public void scatterFrom(MemorySegment source, long from, long bytes) {
            int each = shape.type().elements().bytes();
            for (long at = from; at + each <= from + bytes; at += each) {
                array[offset + (int) (at / each)] = shape.read(true, source, at);
            }
        }

        /// Describes the first record that is null; returns null if no record is null.
        @Nullable
        String missing(long from, long records) {
            for (long i = from; i < from + records; i++) {
                Record r = array[offset + (int) i];
                if (r != null && shape.isWhole(r)) continue;
                return "record " + i + " of the " + count + " to be sent "
                        + (r == null ? "is null" : "contains null instead of a record");
            }
            return null;
        }
    }

    /// Pairs of a value and an index, which are packed with the padding of `type`.
    record Pairs(MemorySegment values, MemorySegment places, int valueBytes, Datatype type) implements Pieces {
        @Override
        public void gatherInto(MemorySegment target) {
            for (long i = 0, at = 0;
                    at < target.byteSize();
                    i++, at += type.elements().bytes()) {
                MemorySegment.copy(values, i * valueBytes, target, at, valueBytes);
                MemorySegment.copy(places, i * Integer.BYTES, target, at + valueBytes, Integer.BYTES);
            }
        }

        @Override
        public void scatterFrom(MemorySegment source, long from, long bytes) {
            int each = type.elements().bytes();
            for (long at = from; at + each <= from + bytes; at += each) {
                long i = at / each;
                MemorySegment.copy(source, at, values, i * valueBytes, valueBytes);
                MemorySegment.copy(source, at + valueBytes, places, i * Integer.BYTES, Integer.BYTES);
            }
        }
    }
}
