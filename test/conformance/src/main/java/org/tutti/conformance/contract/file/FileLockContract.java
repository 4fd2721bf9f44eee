package org.tutti.conformance.contract.file;

import static org.tutti.mpi.Buf.buf;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Map;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.MpiFile;
import org.tutti.mpi.MpiFile.Mode;
import org.tutti.mpi.Request;
import org.tutti.mpi.Requests;

/// Accesses under the system's file locks, which NFS requires and which a hint requests on any file system.
public final class FileLockContract {
    private static final Map<String, String> LOCKS = Map.of("tutti_locks", "true");

    /// More elements than one system call writes from an array.
    private static final int LONG_BLOCK = 600_000;

    private FileLockContract() {}

    /// Each form of access has the same result as without locks.
    @Contract
    public static void sameBytesWithLocks(Trial t) {
        int n = t.size(), me = t.rank();
        try (TrialFile file = new TrialFile(t);
                MpiFile f = MpiFile.open(file.comm, file.path, LOCKS, Mode.CREATE, Mode.RDWR)) {
            Check.same(LOCKS, f.info(), "info");
            int[] mine = new int[3000], back = new int[3000];
            for (int i = 0; i < mine.length; i++) mine[i] = i * n + me;
            f.setView(4L * me, Datatype.INT, Datatype.INT.resized(0, 4L * n));
            f.writeAll(buf(mine));
            f.sync();
            checkNumbers(file.bytes(), 3000 * n);
            f.readAtAll(0, buf(back));
            Check.that(Arrays.equals(mine, back), "data read by all ranks");
            f.setSize(0);
            Check.same(0L, f.size(), "size");
            t.world().barrier();
            // separate accesses, interleaved with accesses of other ranks
            f.writeAt(0, buf(mine, 0, 1000));
            f.iwriteAt(1000, buf(mine, 1000, 1000)).await();
            f.iwriteAtAll(2000, buf(mine, 2000, 1000)).await();
            checkNumbers(file.bytes(), 3000 * n);
            Check.same(12_000L * n, f.size(), "size");
            Arrays.fill(back, 0);
            try (Requests r = t.mpi().requests()) {
                for (int i = 0; i < 3; i++) r.add(f.ireadAt(1000L * i, buf(back, 1000 * i, 1000)));
                r.awaitAll();
            }
            Check.that(Arrays.equals(mine, back), "data read by several threads");
            f.preallocate(12_004L * n);
            Check.same(12_004L * n, f.size(), "size");
            f.setInfo(Map.of("tutti_locks", "false"));
            Check.same(Map.of("tutti_locks", "false"), f.info(), "info");
        }
    }

    private static void checkNumbers(byte[] bytes, int count) {
        Check.same(4L * count, bytes.length, "bytes");
        IntBuffer all = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).asIntBuffer();
        for (int i = 0; i < count; i++) Check.same(i, all.get(i), "number " + i);
    }

    /// Atomic mode, in a file that the ranks open together: a read returns each block of a rank completely or
    /// not at all.
    @Contract(minRanks = 2)
    public static void overlappingWritersInAtomicMode(Trial t) {
        try (TrialFile file = new TrialFile(t);
                MpiFile f = MpiFile.open(file.comm, file.path, LOCKS, Mode.CREATE, Mode.RDWR)) {
            f.setAtomicity(true);
            writeAndRead(t, f);
            f.setAtomicity(false);
        }
    }

    /// Each rank opens the file separately, so only the system's locks separate the writers. Each rank also
    /// closes the file repeatedly, which does not release the locks of other ranks.
    @Contract(minRanks = 2)
    public static void overlappingWritersOfSeveralOpens(Trial t) {
        Comm self = t.mpi().self();
        try (TrialFile file = new TrialFile(t)) {
            for (int i = 0; i < 4; i++) {
                try (MpiFile f = MpiFile.open(self, file.path, LOCKS, Mode.CREATE, Mode.RDWR)) {
                    writeAndRead(t, f);
                }
            }
            t.world().barrier();
            byte[] all = file.bytes();
            for (byte b : all) Check.same(all[0], b, "byte of the last writer");
        }
    }

    private static void writeAndRead(Trial t, MpiFile f) {
        byte[] mine = new byte[LONG_BLOCK], seen = new byte[LONG_BLOCK];
        for (int round = 0; round < 6; round++) {
            Arrays.fill(mine, (byte) (1 + t.rank() + round * t.size()));
            Request write = f.iwriteAt(0, buf(mine));
            long count = f.readAt(0, buf(seen)).count();
            write.await();
            Check.that(count == 0 || count == LONG_BLOCK, "count=" + count);
            for (int i = 0; i < count; i++) Check.same(seen[0], seen[i], "byte ", i);
            f.writeAt(0, buf(mine));
        }
    }

    /// The program holds a lock on the file.
    @Contract
    public static void fileLocksOfTheProgram(Trial t) {
        try (TrialFile file = new TrialFile(t);
                MpiFile f = MpiFile.open(file.comm, file.path, LOCKS, Mode.CREATE, Mode.RDWR)) {
            byte[] some = new byte[8];
            if (t.rank() == 0) {
                try (FileChannel own = FileChannel.open(Path.of(file.path), StandardOpenOption.WRITE);
                        FileLock _ = own.lock(4, 8, false)) {
                    MpiException e = Check.fails(ErrorClass.ERR_IO, () -> f.writeAt(0, buf(some)));
                    TrialFile.checkText(
                            e,
                            "writeAt: " + file.path + " on ",
                            ": the program itself has locked some of the bytes 0 to 8" + file.at(1));
                    f.writeAt(12, buf(some));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                f.writeAt(0, buf(some));
                Check.same(20L, f.size(), "size");
            }
            t.world().barrier();
        }
    }
}
