package org.tutti.mpi.file;

import java.lang.foreign.MemorySegment;
import org.tutti.spi.type.RunVisitor;

/// Independent access: a single rank reads or writes byte runs.
///
/// Short runs that are close to each other are read together with the gaps between them, in one system call. In
/// a write, each run is written separately, because other ranks may write the gaps.
final class IndependentAccess {
    /// If runs are at least this number of bytes apart, one system call per run is faster than reading the gaps
    /// as well: a call takes 1.5 µs, the time for reading 4 KiB.
    private static final long LARGE_STEP = 4096;

    private IndependentAccess() {}

    /// Writes `data` to the packed bytes of `view`, starting at `first`.
    static void write(StoredFile file, FileView view, long first, FileData data) {
        try (var _ = file.lock(view, first, data.bytes(), true)) {
            data.out(0, data.bytes(), (from, length, memory, at) -> {
                RunWriter writer = new RunWriter(file, view.displacement(), memory, at);
                view.tiling().visit(first + from, length, writer);
                writer.end();
            });
        }
    }

    /// Writes runs; adjacent runs are merged.
    private static final class RunWriter implements RunVisitor {
        private final StoredFile file;
        private final long displacement;
        private final MemorySegment memory;
        private long at;
        private long position;
        private long bytes;

        RunWriter(StoredFile file, long displacement, MemorySegment memory, long at) {
            this.file = file;
            this.displacement = displacement;
            this.memory = memory;
            this.at = at;
        }

        @Override
        public void run(long offset, long length) {
            if (displacement + offset != position + bytes) {
                end();
                position = displacement + offset;
            }
            bytes += length;
        }

        void end() {
            if (bytes > 0) file.write(position, memory, at, bytes);
            at += bytes;
            bytes = 0;
        }
    }

    /// Reads the packed bytes of `view`, starting at `first`, into `data`; returns the number of these bytes
    /// that are before the end of the file.
    static long read(StoredFile file, FileView view, long first, FileData data) {
        if (data.bytes() == 0) return 0;
        try (var _ = file.lock(view, first, data.bytes(), false)) {
            return data.in(
                    0, data.bytes(), (from, length, memory, at) -> read(file, view, first + from, length, memory, at));
        }
    }

    private static long read(StoredFile file, FileView view, long first, long length, MemorySegment memory, long at) {
        if (view.tiling().isDense()) return file.read(view.position(first), memory, at, length);
        if (view.tiling().isAscending() && view.tiling().averageStep() < LARGE_STEP) {
            return readAround(file, view, first, length, memory, at);
        }
        RunReader reader = new RunReader(file, view.displacement(), memory, at);
        view.tiling().visit(first, length, reader);
        return reader.at - at;
    }

    /// Reads runs one by one, until a run is incomplete.
    private static final class RunReader implements RunVisitor {
        private final StoredFile file;
        private final long displacement;
        private final MemorySegment memory;
        private long at;
        private boolean isAtEnd;

        RunReader(StoredFile file, long displacement, MemorySegment memory, long at) {
            this.file = file;
            this.displacement = displacement;
            this.memory = memory;
            this.at = at;
        }

        @Override
        public void run(long offset, long length) {
            if (isAtEnd) return;
            long n = file.read(displacement + offset, memory, at, length);
            at += n;
            isAtEnd = n < length;
        }
    }

    private static long readAround(
            StoredFile file, FileView view, long first, long length, MemorySegment memory, long at) {
        MemorySegment block = file.takePiece();
        try {
            long next = first, end = first + length;
            while (next < end) {
                long position = view.position(next);
                long to = Math.min(
                        end, view.below(Math.min(position, Long.MAX_VALUE - block.byteSize()) + block.byteSize()));
                long wanted = view.position(to - 1) + 1 - position;
                long got = file.read(position, block, 0, wanted);
                if (got < wanted) to = Math.min(to, view.below(position + got));
                long base = position - view.displacement();
                view.tiling().pack(block, base, next, memory, at + next - first, to - next);
                next = to;
                if (got < wanted) break;
            }
            return next - first;
        } finally {
            file.giveBack(block);
        }
    }
}
