package org.tutti.bench.osu;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.tutti.bench.measure.BenchMemory;
import org.tutti.bench.measure.Data;
import org.tutti.bench.measure.IterationPlan;
import org.tutti.bench.measure.Pattern;
import org.tutti.bench.measure.Report;
import org.tutti.bench.plan.BenchOptions;
import org.tutti.bench.plan.BenchTest;
import org.tutti.bench.plan.BufferElement;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.MpiFile;
import org.tutti.mpi.MpiFile.Mode;
import org.tutti.mpi.Op;

/// Accesses of all ranks to one file in the directory for temporary files, always to the same bytes: measures
/// the path to the page cache, not the disk. Each row shows the slowest rank.
///
///     io-write, io-read     a file of the ranks' blocks in alternation, 0 1 2 0 1 2 …, by one collective access;
///                           total MB/s
///     other tests           each rank independently; the time per access, or per open and close
final class FileTests {
    /// The size of a rank's part of the file; smaller for short blocks, because many short accesses take
    /// longer.
    private static final long SHARE = 16 << 20, SHARE_OF_SHORT = 2 << 20;

    private static final long SHORT = 512;

    private final BenchMemory memory;
    private final Comm world;
    private final BenchOptions options;
    private final BenchTest test;
    private final Report report;

    FileTests(BenchMemory memory, BenchOptions options, Report report) {
        this.memory = memory;
        this.world = memory.mpi().world();
        this.options = options;
        this.test = options.test();
        this.report = report;
    }

    /// Returns whether all verified data was correct.
    boolean run() {
        OsuTable table = table();
        IterationPlan pace = new IterationPlan(world, world.size(), options);
        String path = world.bcastObject(world.rank() == 0 ? newFile() : "", 0);
        boolean right = true;
        for (long bytes : options.sizes()) {
            report.now(test.isSized() ? bytes + " bytes" : "");
            try (Access access = new Access(path, bytes)) {
                int times = pace.warm(access::run, access.moved());
                world.barrier();
                long start = System.nanoTime();
                access.run(times);
                double nanos = world.allreduce((double) (System.nanoTime() - start) / times, Op.MAX);
                List<Object> row = new ArrayList<>();
                row.add(test.isBandwidth() ? world.size() * access.moved() * 1e3 / nanos : nanos / 1e3);
                if (options.full()) row.add(times);
                if (options.check()) {
                    long wrong = world.allreduce(access.wrong(), Op.SUM);
                    right &= wrong == 0;
                    row.add(wrong == 0 ? "Pass" : "Fail");
                }
                table.row(bytes, row);
            }
        }
        world.barrier();
        if (world.rank() == 0) MpiFile.delete(path);
        return right;
    }

    private static String newFile() {
        try {
            return Files.createTempFile("tutti-bench", null).toString();
        } catch (IOException e) {
            throw new UncheckedIOException("no file for " + System.getProperty("java.io.tmpdir"), e);
        }
    }

    private OsuTable table() {
        OsuTable table = new OsuTable(memory, options, report, title());
        if (test.isBandwidth()) table.column("Bandwidth (MB/s)", "mb_s");
        else table.column("Max Latency(us)", "max_us");
        if (options.full()) table.wholeColumn("Iterations", "iterations");
        if (options.check()) table.wordColumn("Validation", "validation");
        return table.begin();
    }

    private String title() {
        return switch (test) {
            case IO_WRITE -> "MPI_File_write_at_all Bandwidth";
            case IO_READ -> "MPI_File_read_at_all Bandwidth";
            case IO_WRITE_AT -> "MPI_File_write_at Latency";
            case IO_READ_AT -> "MPI_File_read_at Latency";
            case IO_WRITE_SHARED -> "MPI_File_write_shared Latency";
            case IO_OPEN -> "MPI_File_open and close Latency";
            default -> throw new IllegalStateException(test.word() + " has no file");
        };
    }

    /// One size of the test.
    private final class Access implements AutoCloseable {
        private final String path;
        private final MpiFile file;
        private final long block;
        private final Data sent;
        private final Data received;

        Access(String path, long bytes) {
            this.path = path;
            block = Math.max(1, bytes);
            long share = block <= SHORT ? SHARE_OF_SHORT : SHARE;
            long blocks = test.isBandwidth() ? Math.max(1, share / block) : 1;
            sent = memory.data(BufferElement.BYTE, blocks * block);
            received = memory.data(BufferElement.BYTE, blocks * block);
            sent.fill(Pattern.of(world.rank()));
            file = MpiFile.open(world, path, Mode.RDWR);
            view(world.rank());
            file.writeAtAll(0, sent.buf()); // for read tests
        }

        /// Returns the size of an access of a rank.
        long moved() {
            return sent.count();
        }

        /// Sets the view to the blocks of `rank`.
        private void view(int rank) {
            if (!test.isBandwidth()) {
                // with a shared file pointer, all ranks need the same view
                file.setView(test == BenchTest.IO_WRITE_SHARED ? 0 : rank * block, Datatype.BYTE);
                return;
            }
            Datatype one = Datatype.BYTE.contiguous(block);
            file.setView(rank * block, Datatype.BYTE, one.resized(0, world.size() * block));
        }

        void run(int times) {
            Buf out = sent.buf(), in = received.buf();
            if (test == BenchTest.IO_WRITE_SHARED) file.seekShared(0, MpiFile.Seek.SET);
            for (int i = 0; i < times; i++) {
                switch (test) {
                    case IO_WRITE -> file.writeAtAll(0, out);
                    case IO_READ -> file.readAtAll(0, in);
                    case IO_WRITE_AT -> file.writeAt(0, out);
                    case IO_READ_AT -> file.readAt(0, in);
                    case IO_WRITE_SHARED -> file.writeShared(out);
                    case IO_OPEN -> MpiFile.open(world, path, Mode.RDWR).close();
                    default -> throw new IllegalStateException(test.word() + " has no file");
                }
            }
        }

        /// Executes one access. Then, in tests that do not read, reads the data that the next rank has written.
        /// Returns the number of wrong bytes.
        long wrong() {
            received.fill(Pattern.NOTHING);
            run(1);
            int writer = world.rank();
            if (test != BenchTest.IO_READ && test != BenchTest.IO_READ_AT) {
                file.sync();
                world.barrier();
                writer = (world.rank() + 1) % world.size();
                view(writer);
                file.readAtAll(test == BenchTest.IO_WRITE_SHARED ? writer * block : 0, received.buf());
            }
            if (test != BenchTest.IO_WRITE_SHARED) return received.wrong(0, received.count(), Pattern.of(writer));
            // the shared file pointer orders blocks by arrival, so the block can be from any rank
            for (int r = 0; r < world.size(); r++) {
                if (received.wrong(0, received.count(), Pattern.of(r)) == 0) return 0;
            }
            return received.count();
        }

        @Override
        public void close() {
            file.close();
        }
    }
}
