package org.tutti.mpi.file;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.type.Layout;

/// What a rank reads or writes: packed bytes, numbered from 0, that lie in memory one after the other or as a
/// layout says. Of one access, so by one thread at a time.
public final class FileData {
    /// As much of data with a layout is packed at a time.
    private static final int PIECE_BYTES = 256 << 10;

    private final MemorySegment memory;
    private final @Nullable Layout layout;
    private final long bytes;
    private @Nullable MemorySegment piece;

    public FileData(MemorySegment memory, @Nullable Layout layout, long bytes) {
        this.memory = memory;
        this.layout = layout;
        this.bytes = bytes;
    }

    long bytes() {
        return bytes;
    }

    /// Is handed a part of the packed bytes, to read them.
    @FunctionalInterface
    interface Reader {
        /// The `length` packed bytes from `from` on are those from `at` on in `memory`.
        void read(long from, long length, MemorySegment memory, long at);
    }

    /// Is handed memory for a part of them, to fill it.
    @FunctionalInterface
    interface Filler {
        /// Puts the packed bytes from `from` on to `at` in `memory`; returns how many, `length` or fewer.
        long fill(long from, long length, MemorySegment memory, long at);
    }

    /// Hands out the packed bytes from `from` on, in parts, to be read.
    void out(long from, long length, Reader reader) {
        Layout l = layout;
        if (l == null) {
            reader.read(from, length, memory, from);
            return;
        }
        MemorySegment room = room(length);
        for (long done = 0; done < length; ) {
            long n = Math.min(length - done, room.byteSize());
            l.pack(memory, 0, from + done, room, 0, n);
            reader.read(from + done, n, room, 0);
            done += n;
        }
    }

    /// Hands out memory for them, in parts, until all is filled, or one part only in part; how much was.
    long in(long from, long length, Filler filler) {
        Layout l = layout;
        if (l == null) return filler.fill(from, length, memory, from);
        MemorySegment room = room(length);
        long done = 0;
        while (done < length) {
            long n = Math.min(length - done, room.byteSize());
            long filled = filler.fill(from + done, n, room, 0);
            l.unpack(memory, 0, from + done, room, 0, filled);
            done += filled;
            if (filled < n) break;
        }
        return done;
    }

    private MemorySegment room(long length) {
        MemorySegment room = piece;
        if (room == null || room.byteSize() < Math.min(length, PIECE_BYTES)) {
            room = piece = Arena.ofAuto().allocate(Math.min(length, PIECE_BYTES), 64);
        }
        return room;
    }
}
