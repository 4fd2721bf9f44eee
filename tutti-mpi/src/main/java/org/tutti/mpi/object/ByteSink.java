package org.tutti.mpi.object;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// A growing message: small values go through a window on the heap, large arrays straight into the segment
/// behind it.
///
/// The window is there because a byte array is fast from the first call on, also before the JIT has seen it, and
/// because the segment's address would otherwise be checked for each of many one-byte writes.
final class ByteSink {
    static final VarHandle SHORTS = view(short[].class);
    static final VarHandle CHARS = view(char[].class);
    static final VarHandle INTS = view(int[].class);
    static final VarHandle LONGS = view(long[].class);
    static final VarHandle FLOATS = view(float[].class);
    static final VarHandle DOUBLES = view(double[].class);

    static final int WINDOW_BYTES = 8192;
    /// Arrays up to this size go through the window: below it, a copy costs less than emptying the window.
    static final int SMALL_BYTES = 1024;

    private static final long FIRST_BYTES = 64 << 10;
    /// A larger segment is not kept for the next message.
    private static final long KEPT_BYTES = 64 << 20;

    private static final MemorySegment NONE = MemorySegment.ofArray(new byte[0]);

    private final byte[] window = new byte[WINDOW_BYTES];
    private final MemorySegment windowSegment = MemorySegment.ofArray(window);
    private int at;
    private MemorySegment out = NONE;
    private long flushed;

    private static VarHandle view(Class<?> arrayType) {
        return MethodHandles.byteArrayViewVarHandle(arrayType, ByteOrder.LITTLE_ENDIAN);
    }

    void reset() {
        at = 0;
        flushed = 0;
        if (out.byteSize() > KEPT_BYTES) {
            out = NONE;
        }
    }

    /// Moves the rest of the window out; the message is then the first bytes of [#segment()].
    ///
    /// @return bytes in the message
    long finish() {
        flush();
        return flushed;
    }

    MemorySegment segment() {
        return out;
    }

    void put(int b) {
        room(1);
        window[at++] = (byte) b;
    }

    void putShort(int v) {
        room(2);
        SHORTS.set(window, at, (short) v);
        at += 2;
    }

    void putInt(int v) {
        room(4);
        INTS.set(window, at, v);
        at += 4;
    }

    void putLong(long v) {
        room(8);
        LONGS.set(window, at, v);
        at += 8;
    }

    void putFloat(float v) {
        room(4);
        FLOATS.set(window, at, v);
        at += 4;
    }

    void putDouble(double v) {
        room(8);
        DOUBLES.set(window, at, v);
        at += 8;
    }

    void putVarint(long v) {
        room(10);
        int p = at;
        while ((v & ~0x7FL) != 0) {
            window[p++] = (byte) (v | 0x80);
            v >>>= 7;
        }
        window[p++] = (byte) v;
        at = p;
    }

    void putZigzag(long v) {
        putVarint((v << 1) ^ (v >> 63));
    }

    /// The low bytes of all chars of `s`, which are all there is of a Latin-1 string.
    @SuppressWarnings("deprecation") // getBytes drops the high bytes: there are none, and it is a plain copy
    void putLatin1(String s) {
        int length = s.length();
        for (int done = 0; done < length; ) {
            int n = Math.min(length - done, WINDOW_BYTES / 2);
            room(n);
            s.getBytes(done, done + n, window, at);
            at += n;
            done += n;
        }
    }

    void putUtf16(String s) {
        int length = s.length();
        for (int i = 0; i < length; i++) {
            putShort(s.charAt(i));
        }
    }

    /// `count` elements of a primitive array whose elements are laid out as `layout`.
    void putElements(Object array, ValueLayout layout, int count) {
        long bytes = count * layout.byteSize();
        if (bytes <= SMALL_BYTES) {
            room((int) bytes);
            MemorySegment.copy(array, 0, windowSegment, layout, at, count);
            at += (int) bytes;
        } else {
            flush();
            grow(flushed + bytes);
            MemorySegment.copy(array, 0, out, layout, flushed, count);
            flushed += bytes;
        }
    }

    void putBytes(byte[] bytes) {
        putElements(bytes, ValueLayout.JAVA_BYTE, bytes.length);
    }

    private void room(int bytes) {
        if (WINDOW_BYTES - at < bytes) {
            flush();
        }
    }

    private void flush() {
        int n = at;
        if (n > 0) {
            grow(flushed + n);
            MemorySegment.copy(windowSegment, 0, out, flushed, n);
            flushed += n;
            at = 0;
        }
    }

    private void grow(long needed) {
        if (needed > out.byteSize()) {
            // Not a confined arena: the engine's progress may run on another thread.
            MemorySegment larger = Arena.ofAuto()
                    .allocate(Math.max(Math.max(FIRST_BYTES, 2 * out.byteSize()), needed + (needed >> 3)), 64);
            MemorySegment.copy(out, 0, larger, 0, flushed);
            out = larger;
        }
    }
}
