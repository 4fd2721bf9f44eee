package org.tutti.mpi.object;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A message that grows while values are written. Small values are collected in a window on the heap; large
/// arrays are written directly to off-heap chunks.
///
/// The window exists because a byte array is fast from the first call, even before JIT compilation, and because
/// every one-byte write to a chunk would check the bounds and the lifetime of the chunk's segment.
///
/// A message that exceeds a chunk continues in a new chunk, so no data is copied again, regardless of the
/// length. The first chunk of the next message is large enough for a message as long as the last one, up to
/// [#LARGEST_CHUNK_BYTES].
final class ByteSink {
    static final VarHandle SHORTS = view(short[].class);
    static final VarHandle CHARS = view(char[].class);
    static final VarHandle INTS = view(int[].class);
    static final VarHandle LONGS = view(long[].class);
    static final VarHandle FLOATS = view(float[].class);
    static final VarHandle DOUBLES = view(double[].class);

    static final int WINDOW_BYTES = 8192;
    /// The maximum size of an array that is written to the window. Up to this size, a copy costs less than
    /// emptying the window.
    static final int SMALL_BYTES = 1024;

    private static final long FIRST_CHUNK_BYTES = 64 << 10;
    private static final long LARGEST_CHUNK_BYTES = 64 << 20;

    private static final MemorySegment NONE = MemorySegment.ofArray(new byte[0]);

    private record Chunk(MemorySegment segment, long bytes, Arena arena) {}

    private final byte[] window = new byte[WINDOW_BYTES];
    private final MemorySegment windowSegment = MemorySegment.ofArray(window);
    private int at;

    /// The first chunk, which is reused for every message. All further chunks are released after each message.
    private MemorySegment first = NONE;

    private long firstBytes;

    /// The full chunks after the first chunk. The current chunk is `out`.
    private final List<Chunk> full = new ArrayList<>();

    private MemorySegment out = NONE;
    private @Nullable Arena outArena;
    private long filled;

    /// The number of bytes in all chunks before `out`.
    private long before;

    private static VarHandle view(Class<?> arrayType) {
        return MethodHandles.byteArrayViewVarHandle(arrayType, ByteOrder.LITTLE_ENDIAN);
    }

    /// Starts a message, which overwrites the previous message.
    void reset() {
        long last = before + filled;
        release();
        if (first.byteSize() == 0 || first.byteSize() < last && last <= LARGEST_CHUNK_BYTES) {
            // The arena is not confined, because the engine's progress may run on a different thread.
            first = Arena.ofAuto().allocate(Math.max(FIRST_CHUNK_BYTES, last + (last >> 3)), 64);
        }
        at = 0;
        out = first;
        filled = 0;
        before = 0;
        firstBytes = 0;
    }

    /// Releases the off-heap memory of a large message. Called after the last use of the message.
    void release() {
        for (Chunk chunk : full) {
            chunk.arena.close();
        }
        full.clear();
        Arena arena = outArena;
        if (arena != null) {
            arena.close();
            outArena = null;
        }
    }

    /// Moves the remaining bytes out of the window.
    ///
    /// @return the size of the message in bytes
    long finish() {
        flush();
        if (outArena == null) {
            firstBytes = filled;
        }
        return before + filled;
    }

    /// Returns the number of bytes written so far.
    long position() {
        return before + filled + at;
    }

    /// Returns the start of the message: the first [#firstBytes].
    MemorySegment first() {
        return first;
    }

    long firstBytes() {
        return firstBytes;
    }

    /// Appends the parts of the message after the first chunk, in order.
    void rest(List<MemorySegment> to) {
        for (Chunk chunk : full) {
            to.add(chunk.segment.asSlice(0, chunk.bytes));
        }
        if (outArena != null) {
            to.add(out.asSlice(0, filled));
        }
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

    /// Writes the low bytes of all chars of `s`, a Latin-1 string.
    @SuppressWarnings("deprecation") // getBytes drops the high bytes, which are 0: a plain copy
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

    /// Writes `count` elements of a primitive array with the element layout `layout`.
    void putElements(Object array, ValueLayout layout, int count) {
        long bytes = count * layout.byteSize();
        if (bytes <= SMALL_BYTES) {
            room((int) bytes);
            MemorySegment.copy(array, 0, windowSegment, layout, at, count);
            at += (int) bytes;
        } else {
            flush();
            int size = (int) layout.byteSize();
            for (int done = 0; done < count; ) {
                int n = (int) Math.min(count - done, (out.byteSize() - filled) / size);
                if (n == 0) {
                    nextChunk((long) (count - done) * size);
                    continue;
                }
                MemorySegment.copy(array, done, out, layout, filled, n);
                filled += (long) n * size;
                done += n;
            }
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
        for (int done = 0; done < at; ) {
            int n = (int) Math.min(at - done, out.byteSize() - filled);
            if (n == 0) {
                nextChunk(at - done);
                continue;
            }
            MemorySegment.copy(windowSegment, done, out, filled, n);
            filled += n;
            done += n;
        }
        at = 0;
    }

    /// Starts a new chunk. The chunk is as large as all preceding chunks together, or as `needed` if this is
    /// more, but has at most [#LARGEST_CHUNK_BYTES]. The growth limits the number of chunks.
    private void nextChunk(long needed) {
        Arena arena = outArena;
        if (arena == null) {
            firstBytes = filled;
        } else {
            full.add(new Chunk(out, filled, arena));
        }
        before += filled;
        filled = 0;
        Arena fresh = Arena.ofShared();
        out = fresh.allocate(Math.min(LARGEST_CHUNK_BYTES, Math.max(needed, before)), 64);
        outArena = fresh;
    }
}
