package org.tutti.mpi.object;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// A received message, read sequentially: the counterpart of [ByteSink]. Every read first checks that the bytes
/// exist.
final class ByteSource {
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final MemorySegment NONE = MemorySegment.ofArray(new byte[0]);

    private final byte[] window = new byte[ByteSink.WINDOW_BYTES];
    private final MemorySegment windowSegment = MemorySegment.ofArray(window);
    private int at;
    private int limit;

    private MemorySegment data = NONE;
    /// The offset, in `data`, of the first byte of the message. The next fields are offsets in `data`, too:
    /// `next` is the offset of the first byte after the window, and `end` is the offset of the end of the
    /// message.
    private long start;

    private long next;
    private long end;

    void open(MemorySegment data, long offset, long bytes) {
        this.data = data;
        start = offset;
        next = offset;
        end = offset + bytes;
        at = 0;
        limit = 0;
    }

    void close() {
        data = NONE;
        next = end;
        limit = at;
    }

    long remaining() {
        return end - next + (limit - at);
    }

    /// Returns the position as used in error messages, for example "byte 17 of 40".
    String position() {
        return "byte " + (next - (limit - at) - start) + " of " + (end - start);
    }

    int get() {
        need(1);
        return window[at++] & 0xFF;
    }

    short getShort() {
        need(2);
        short v = (short) ByteSink.SHORTS.get(window, at);
        at += 2;
        return v;
    }

    int getInt() {
        need(4);
        int v = (int) ByteSink.INTS.get(window, at);
        at += 4;
        return v;
    }

    long getLong() {
        need(8);
        long v = (long) ByteSink.LONGS.get(window, at);
        at += 8;
        return v;
    }

    float getFloat() {
        need(4);
        float v = (float) ByteSink.FLOATS.get(window, at);
        at += 4;
        return v;
    }

    double getDouble() {
        need(8);
        double v = (double) ByteSink.DOUBLES.get(window, at);
        at += 8;
        return v;
    }

    long getVarint() {
        int first = get();
        if (first < 0x80) {
            return first;
        }
        long v = first & 0x7F;
        for (int shift = 7; shift < 64; shift += 7) {
            int b = get();
            if (shift == 63 && b > 1) {
                break;
            }
            v |= (long) (b & 0x7F) << shift;
            if (b < 0x80) {
                return v;
            }
        }
        throw broken("a number of more than 64 bits");
    }

    long getZigzag() {
        long v = getVarint();
        return (v >>> 1) ^ -(v & 1);
    }

    /// Reads a Latin-1 string; the caller has checked that the bytes exist.
    @SuppressWarnings("deprecation") // this constructor decodes Latin-1 without a charset lookup
    String getLatin1(int chars) {
        if (chars <= ByteSink.WINDOW_BYTES) {
            need(chars);
            String s = new String(window, 0, at, chars);
            at += chars;
            return s;
        }
        byte[] bytes = new byte[chars];
        getElements(bytes, ValueLayout.JAVA_BYTE, chars);
        return new String(bytes, 0);
    }

    /// Reads `count` elements into a primitive array; the caller has checked that the bytes exist.
    void getElements(Object array, ValueLayout layout, int count) {
        long bytes = count * layout.byteSize();
        if (bytes <= ByteSink.SMALL_BYTES) {
            need((int) bytes);
            MemorySegment.copy(windowSegment, layout, at, array, 0, count);
            at += (int) bytes;
        } else {
            next -= limit - at;
            at = 0;
            limit = 0;
            MemorySegment.copy(data, layout, next, array, 0, count);
            next += bytes;
        }
    }

    byte[] getBytes(int count) {
        byte[] bytes = new byte[count];
        getElements(bytes, ValueLayout.JAVA_BYTE, count);
        return bytes;
    }

    /// Reads the next `bytes` bytes into [#window()], starting at [#at()]. `bytes` must not exceed the size of
    /// the window.
    void need(int bytes) {
        if (limit - at < bytes) {
            refill(bytes);
        }
    }

    byte[] window() {
        return window;
    }

    int at() {
        return at;
    }

    void skip(int bytes) {
        at += bytes;
    }

    private void refill(int bytes) {
        if (remaining() < bytes) {
            throw new CodecException(
                    "is truncated at " + position() + ": " + bytes + " bytes expected, " + remaining() + " present");
        }
        int left = limit - at;
        System.arraycopy(window, at, window, 0, left);
        int n = (int) Math.min(window.length - left, end - next);
        MemorySegment.copy(data, next, windowSegment, left, n);
        next += n;
        at = 0;
        limit = left + n;
    }

    CodecException broken(String what) {
        return new CodecException("is broken at " + position() + ": " + what);
    }
}
