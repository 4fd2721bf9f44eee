package org.tutti.mpi.file;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.type.Layout;

/// The data of an access. The packed bytes are numbered from 0; they are stored contiguously or according to a
/// layout. Not thread-safe.
public final class FileData {
    /// Data with a layout is packed in steps of at most this number of bytes.
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

    /// Reads a part of the packed bytes.
    @FunctionalInterface
    interface Reader {
        /// Reads `length` packed bytes, starting at packed byte `from`. These bytes are in `memory`, starting
        /// at `at`.
        void read(long from, long length, MemorySegment memory, long at);
    }

    /// Fills a part of the packed bytes.
    @FunctionalInterface
    interface Filler {
        /// Stores the packed bytes, starting at packed byte `from`, into `memory`, starting at `at`. Returns
        /// the number of bytes stored, which is at most `length`.
        long fill(long from, long length, MemorySegment memory, long at);
    }

    /// Passes the packed bytes starting at `from` to the reader, in parts.
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

    /// Passes memory to the filler, in parts, until all memory is filled or a part is incomplete. Returns the
    /// number of bytes filled.
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
