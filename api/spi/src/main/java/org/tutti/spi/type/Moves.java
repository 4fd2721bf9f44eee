package org.tutti.spi.type;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;
import static org.tutti.spi.type.Elements.BYTES;
import static org.tutti.spi.type.Elements.DOUBLES;
import static org.tutti.spi.type.Elements.FLOATS;
import static org.tutti.spi.type.Elements.INTS;
import static org.tutti.spi.type.Elements.LONGS;
import static org.tutti.spi.type.Elements.NATIVE;
import static org.tutti.spi.type.Elements.getInt;
import static org.tutti.spi.type.Elements.getLong;
import static org.tutti.spi.type.Elements.setInt;
import static org.tutti.spi.type.Elements.setLong;

import java.lang.foreign.MemorySegment;

/// Copies between memory of the program and memory of an engine. For runs of a few bytes, a call of the general
/// copy costs more than copying the bytes. Therefore runs of 2, 4 and 8 bytes at a fixed distance, for example
/// in a column of a matrix, are copied by separate loops; for 4 and 8 bytes, there is one loop for each kind of
/// memory that programs use. The engine's memory is nearly always native. [Elements] describes why segments are
/// cast.
public final class Moves {
    /// Up to this length, a run is copied in units of 8 bytes. For 64 bytes or more, the JDK's copy is a single
    /// call, whereas copying 8 bytes at a time needs 65 ns for the same length if the compiler has compiled the
    /// code for several kinds of memory.
    private static final int FEW_BYTES = 63;

    private Moves() {}

    /// Copies one run.
    ///
    /// This method is intentionally longer than the compiler's limit for inlining. With each new kind of
    /// memory, the compiler discards the compiled code of this method; if the method were inlined, the compiler
    /// would discard the code of the caller, too.
    public static void copy(MemorySegment from, long fromAt, MemorySegment to, long toAt, long bytes) {
        boolean byElements = bytes <= FEW_BYTES;
        if (byElements && NATIVE.isInstance(to)) {
            MemorySegment there = NATIVE.cast(to);
            if (BYTES.isInstance(from)) words(BYTES.cast(from), fromAt, there, toAt, bytes);
            else if (FLOATS.isInstance(from)) words(FLOATS.cast(from), fromAt, there, toAt, bytes);
            else if (DOUBLES.isInstance(from)) words(DOUBLES.cast(from), fromAt, there, toAt, bytes);
            else if (INTS.isInstance(from)) words(INTS.cast(from), fromAt, there, toAt, bytes);
            else if (LONGS.isInstance(from)) words(LONGS.cast(from), fromAt, there, toAt, bytes);
            else if (NATIVE.isInstance(from)) words(NATIVE.cast(from), fromAt, there, toAt, bytes);
            else byElements = false;
        } else if (byElements && NATIVE.isInstance(from)) {
            MemorySegment here = NATIVE.cast(from);
            if (BYTES.isInstance(to)) words(here, fromAt, BYTES.cast(to), toAt, bytes);
            else if (FLOATS.isInstance(to)) words(here, fromAt, FLOATS.cast(to), toAt, bytes);
            else if (DOUBLES.isInstance(to)) words(here, fromAt, DOUBLES.cast(to), toAt, bytes);
            else if (INTS.isInstance(to)) words(here, fromAt, INTS.cast(to), toAt, bytes);
            else if (LONGS.isInstance(to)) words(here, fromAt, LONGS.cast(to), toAt, bytes);
            else byElements = false;
        } else {
            byElements = false;
        }
        // The call occurs only once in this method, because each occurrence compiles to 40 KB.
        if (!byElements) MemorySegment.copy(from, fromAt, to, toAt, bytes);
    }

    /// Copies one run in units of 8 bytes. The compiler inlines this method into [#copy], so that the two kinds
    /// of memory are constants for the compiler.
    private static void words(MemorySegment from, long fromAt, MemorySegment to, long toAt, long bytes) {
        long i = 0;
        for (; i + 8 <= bytes; i += 8) to.set(JAVA_LONG_UNALIGNED, toAt + i, from.get(JAVA_LONG_UNALIGNED, fromAt + i));
        if (i + 4 <= bytes) {
            to.set(JAVA_INT_UNALIGNED, toAt + i, from.get(JAVA_INT_UNALIGNED, fromAt + i));
            i += 4;
        }
        for (; i < bytes; i++) to.set(JAVA_BYTE, toAt + i, from.get(JAVA_BYTE, fromAt + i));
    }

    /// Copies `count` runs of `each` bytes. The runs are `stride` bytes apart in `memory` and contiguous in
    /// `stream`. They are copied out of `memory` if `out` is set, otherwise into `memory`.
    static void strided(
            boolean out,
            MemorySegment memory,
            long at,
            long stride,
            MemorySegment stream,
            long streamAt,
            long each,
            long count) {
        if (each == stride) {
            if (out) copy(memory, at, stream, streamAt, each * count);
            else copy(stream, streamAt, memory, at, each * count);
        } else if (each == 8) {
            if (out) out8(memory, at, stride, stream, streamAt, count);
            else in8(memory, at, stride, stream, streamAt, count);
        } else if (each == 4) {
            if (out) out4(memory, at, stride, stream, streamAt, count);
            else in4(memory, at, stride, stream, streamAt, count);
        } else if (each == 2) {
            shorts(out, memory, at, stride, stream, streamAt, count);
        } else if (out) {
            for (long i = 0; i < count; i++) copy(memory, at + i * stride, stream, streamAt + i * each, each);
        } else {
            for (long i = 0; i < count; i++) copy(stream, streamAt + i * each, memory, at + i * stride, each);
        }
    }

    private static void out8(MemorySegment m, long at, long stride, MemorySegment s, long to, long count) {
        if (!NATIVE.isInstance(s)) {
            for (long i = 0; i < count; i++) setLong(s, to + 8 * i, getLong(m, at + i * stride));
        } else if (DOUBLES.isInstance(m)) {
            for (long i = 0; i < count; i++) {
                long value = DOUBLES.cast(m).get(JAVA_LONG_UNALIGNED, at + i * stride);
                NATIVE.cast(s).set(JAVA_LONG_UNALIGNED, to + 8 * i, value);
            }
        } else if (NATIVE.isInstance(m)) {
            for (long i = 0; i < count; i++) {
                long value = NATIVE.cast(m).get(JAVA_LONG_UNALIGNED, at + i * stride);
                NATIVE.cast(s).set(JAVA_LONG_UNALIGNED, to + 8 * i, value);
            }
        } else if (LONGS.isInstance(m)) {
            for (long i = 0; i < count; i++) {
                long value = LONGS.cast(m).get(JAVA_LONG_UNALIGNED, at + i * stride);
                NATIVE.cast(s).set(JAVA_LONG_UNALIGNED, to + 8 * i, value);
            }
        } else {
            for (long i = 0; i < count; i++) setLong(s, to + 8 * i, getLong(m, at + i * stride));
        }
    }

    private static void in8(MemorySegment m, long at, long stride, MemorySegment s, long from, long count) {
        if (!NATIVE.isInstance(s)) {
            for (long i = 0; i < count; i++) setLong(m, at + i * stride, getLong(s, from + 8 * i));
        } else if (DOUBLES.isInstance(m)) {
            for (long i = 0; i < count; i++) {
                long value = NATIVE.cast(s).get(JAVA_LONG_UNALIGNED, from + 8 * i);
                DOUBLES.cast(m).set(JAVA_LONG_UNALIGNED, at + i * stride, value);
            }
        } else if (NATIVE.isInstance(m)) {
            for (long i = 0; i < count; i++) {
                long value = NATIVE.cast(s).get(JAVA_LONG_UNALIGNED, from + 8 * i);
                NATIVE.cast(m).set(JAVA_LONG_UNALIGNED, at + i * stride, value);
            }
        } else if (LONGS.isInstance(m)) {
            for (long i = 0; i < count; i++) {
                long value = NATIVE.cast(s).get(JAVA_LONG_UNALIGNED, from + 8 * i);
                LONGS.cast(m).set(JAVA_LONG_UNALIGNED, at + i * stride, value);
            }
        } else {
            for (long i = 0; i < count; i++) setLong(m, at + i * stride, getLong(s, from + 8 * i));
        }
    }

    private static void out4(MemorySegment m, long at, long stride, MemorySegment s, long to, long count) {
        if (!NATIVE.isInstance(s)) {
            for (long i = 0; i < count; i++) setInt(s, to + 4 * i, getInt(m, at + i * stride));
        } else if (FLOATS.isInstance(m)) {
            for (long i = 0; i < count; i++) {
                int value = FLOATS.cast(m).get(JAVA_INT_UNALIGNED, at + i * stride);
                NATIVE.cast(s).set(JAVA_INT_UNALIGNED, to + 4 * i, value);
            }
        } else if (INTS.isInstance(m)) {
            for (long i = 0; i < count; i++) {
                int value = INTS.cast(m).get(JAVA_INT_UNALIGNED, at + i * stride);
                NATIVE.cast(s).set(JAVA_INT_UNALIGNED, to + 4 * i, value);
            }
        } else if (NATIVE.isInstance(m)) {
            for (long i = 0; i < count; i++) {
                int value = NATIVE.cast(m).get(JAVA_INT_UNALIGNED, at + i * stride);
                NATIVE.cast(s).set(JAVA_INT_UNALIGNED, to + 4 * i, value);
            }
        } else {
            for (long i = 0; i < count; i++) setInt(s, to + 4 * i, getInt(m, at + i * stride));
        }
    }

    private static void in4(MemorySegment m, long at, long stride, MemorySegment s, long from, long count) {
        if (!NATIVE.isInstance(s)) {
            for (long i = 0; i < count; i++) setInt(m, at + i * stride, getInt(s, from + 4 * i));
        } else if (FLOATS.isInstance(m)) {
            for (long i = 0; i < count; i++) {
                int value = NATIVE.cast(s).get(JAVA_INT_UNALIGNED, from + 4 * i);
                FLOATS.cast(m).set(JAVA_INT_UNALIGNED, at + i * stride, value);
            }
        } else if (INTS.isInstance(m)) {
            for (long i = 0; i < count; i++) {
                int value = NATIVE.cast(s).get(JAVA_INT_UNALIGNED, from + 4 * i);
                INTS.cast(m).set(JAVA_INT_UNALIGNED, at + i * stride, value);
            }
        } else if (NATIVE.isInstance(m)) {
            for (long i = 0; i < count; i++) {
                int value = NATIVE.cast(s).get(JAVA_INT_UNALIGNED, from + 4 * i);
                NATIVE.cast(m).set(JAVA_INT_UNALIGNED, at + i * stride, value);
            }
        } else {
            for (long i = 0; i < count; i++) setInt(m, at + i * stride, getInt(s, from + 4 * i));
        }
    }

    private static void shorts(
            boolean out, MemorySegment m, long at, long stride, MemorySegment s, long streamAt, long count) {
        for (long i = 0; i < count; i++) {
            if (out) s.set(JAVA_SHORT_UNALIGNED, streamAt + 2 * i, m.get(JAVA_SHORT_UNALIGNED, at + i * stride));
            else m.set(JAVA_SHORT_UNALIGNED, at + i * stride, s.get(JAVA_SHORT_UNALIGNED, streamAt + 2 * i));
        }
    }
}
