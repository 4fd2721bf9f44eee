package org.tutti.conformance.contract.file;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Hints;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.MpiFile;
import org.tutti.mpi.MpiFile.DataRep;
import org.tutti.mpi.MpiFile.Mode;
import org.tutti.mpi.MpiFile.Seek;
import org.tutti.mpi.MpiFile.View;
import org.tutti.mpi.Request;
import org.tutti.mpi.Requests;
import org.tutti.mpi.Status;

/// Reads and writes: data, positions and counts. MPI 4.1, section 14.4.
public final class FileAccessContract {
    private static final byte OLD = 0x55;
    private static final ValueLayout.OfInt WORD = ValueLayout.JAVA_INT_UNALIGNED;

    private FileAccessContract() {}

    /// The calls that read or write data at a position.
    private enum AccessForm {
        AT,
        AT_ALL,
        POINTER,
        POINTER_ALL,
        I_AT,
        I_AT_ALL,
        I_POINTER,
        I_POINTER_ALL,
        SPLIT_AT,
        SPLIT_POINTER;

        Status write(MpiFile f, long at, Buf b) {
            switch (this) {
                case AT, AT_ALL, I_AT, I_AT_ALL, SPLIT_AT -> f.seek(7, Seek.SET);
                case POINTER, POINTER_ALL, I_POINTER, I_POINTER_ALL, SPLIT_POINTER -> f.seek(at, Seek.SET);
            }
            return switch (this) {
                case AT -> f.writeAt(at, b);
                case AT_ALL -> f.writeAtAll(at, b);
                case POINTER -> f.write(b);
                case POINTER_ALL -> f.writeAll(b);
                case I_AT -> f.iwriteAt(at, b).await();
                case I_AT_ALL -> f.iwriteAtAll(at, b).await();
                case I_POINTER -> f.iwrite(b).await();
                case I_POINTER_ALL -> f.iwriteAll(b).await();
                case SPLIT_AT -> {
                    f.writeAtAllBegin(at, b);
                    yield f.writeAtAllEnd();
                }
                case SPLIT_POINTER -> {
                    f.writeAllBegin(b);
                    yield f.writeAllEnd();
                }
            };
        }

        Status read(MpiFile f, long at, Buf b) {
            switch (this) {
                case AT, AT_ALL, I_AT, I_AT_ALL, SPLIT_AT -> f.seek(7, Seek.SET);
                case POINTER, POINTER_ALL, I_POINTER, I_POINTER_ALL, SPLIT_POINTER -> f.seek(at, Seek.SET);
            }
            return switch (this) {
                case AT -> f.readAt(at, b);
                case AT_ALL -> f.readAtAll(at, b);
                case POINTER -> f.read(b);
                case POINTER_ALL -> f.readAll(b);
                case I_AT -> f.ireadAt(at, b).await();
                case I_AT_ALL -> f.ireadAtAll(at, b).await();
                case I_POINTER -> f.iread(b).await();
                case I_POINTER_ALL -> f.ireadAll(b).await();
                case SPLIT_AT -> {
                    f.readAtAllBegin(at, b);
                    yield f.readAtAllEnd();
                }
                case SPLIT_POINTER -> {
                    f.readAllBegin(b);
                    yield f.readAllEnd();
                }
            };
        }

        /// Returns the position of the file pointer after an access at `at`.
        long after(long at, long etypes) {
            return switch (this) {
                case AT, AT_ALL, I_AT, I_AT_ALL, SPLIT_AT -> 7;
                case POINTER, POINTER_ALL, I_POINTER, I_POINTER_ALL, SPLIT_POINTER -> at + etypes;
            };
        }
    }

    /// The views assign the elements of a file to the ranks at random; usually, some elements belong to no
    /// rank. The data of all ranks is written to the correct positions, and no other byte changes. With few
    /// elements, each rank accesses the file separately; with many elements, the ranks access the file
    /// together.
    @Contract(slow = true)
    public static void elementsAreDistributed(Trial t) {
        SplittableRandom r = t.random();
        try (TrialFile file = new TrialFile(t)) {
            for (AccessForm form : AccessForm.values()) {
                int tile = r.nextInt(1, 40), tiles = r.nextInt(1, r.nextBoolean() ? 8 : 400);
                int[] owner =
                        r.ints(tile, 0, t.size() + (r.nextInt(3) == 0 ? 0 : 1)).toArray();
                owner[r.nextInt(tile)] = 0;
                int displacement = r.nextInt(9);
                dealtOut(t, file, form, owner, tiles, displacement, r.nextInt(3) == 0);
            }
        }
    }

    private static void dealtOut(
            Trial t, TrialFile file, AccessForm form, int[] owner, int tiles, int displacement, boolean smallDomains) {
        int tile = owner.length, me = t.rank();
        int[] places = IntStream.range(0, tile).filter(i -> owner[i] == me).toArray();
        byte[] before = new byte[displacement + 4 * tile * tiles / 2 + 3];
        Arrays.fill(before, OLD);
        file.bytes(before);
        int[][] data = new int[t.size() + 1][];
        for (int rank = 0; rank <= t.size(); rank++) {
            int writer = rank;
            int each = (int) Arrays.stream(owner).filter(o -> o == writer).count();
            data[rank] = IntStream.range(0, rank == t.size() ? 0 : each * tiles)
                    .map(i -> 1_000_000 * (writer + 1) + i)
                    .toArray();
        }
        // the write does not start at the beginning of the view
        int skipped = Math.min(3, data[me].length);
        byte[] expected = before.clone();
        for (int k = 0; k < tiles; k++) {
            int[] next = new int[t.size() + 1];
            for (int i = 0; i < tile; i++) {
                int writer = owner[i];
                if (writer == t.size()) continue;
                int index = k * countOf(owner, writer) + next[writer]++;
                if (index < Math.min(3, data[writer].length)) continue;
                int at = displacement + 4 * (k * tile + i);
                if (at + 4 > expected.length) expected = Arrays.copyOf(expected, at + 4);
                MemorySegment.ofArray(expected).set(WORD, at, data[writer][index]);
            }
        }
        try (MpiFile f = file.open(Mode.RDWR)) {
            // hints may differ between ranks
            if (smallDomains) f.setInfo(Map.of(Hints.CB_BUFFER_SIZE, String.valueOf(4096 * (t.rank() + 1))));
            if (smallDomains && me == 1) f.setInfo(Map.of(Hints.CB_NODES, "1"));
            Datatype filetype = Datatype.INT.indexedBlock(1, places).resized(0, 4L * tile);
            f.setView(displacement, Datatype.INT, filetype);
            Buf rest = buf(data[me], skipped, data[me].length - skipped);
            if (places.length == 0) {
                // a participant without data
                rest = buf(new int[0]);
            }
            Status s = form.write(f, places.length == 0 ? 0 : skipped, rest);
            Check.same(rest.count(), s.count(), form + ": count");
            Check.same(form.after(places.length == 0 ? 0 : skipped, rest.count()), f.position(), form + ": position");
            byte[] actual = file.bytes();
            int differs = Arrays.mismatch(expected, actual);
            Check.same(
                    -1, differs, form + ": first byte that differs, of " + expected.length + " and " + actual.length);
            int[] back = new int[places.length == 0 ? 0 : data[me].length + 5];
            Arrays.fill(back, -7);
            byte[] model = new byte[4 * back.length];
            for (int i = 0; i < back.length; i++) MemorySegment.ofArray(model).setAtIndex(WORD, i, -7);
            s = form.read(f, 0, buf(back));
            int n = model(model, expected, places, displacement, tile);
            Check.same(n, s.sizeBytes(), form + ": bytes that were read");
            Check.same(-1, MemorySegment.ofArray(model).mismatch(MemorySegment.ofArray(back)), form + ": data read");
        }
    }

    private static int countOf(int[] owner, int writer) {
        return (int) Arrays.stream(owner).filter(o -> o == writer).count();
    }

    /// Fills in the bytes that a read returns, and returns the number of bytes.
    private static int model(byte[] into, byte[] bytes, int[] places, int displacement, int tile) {
        for (int i = 0; i < into.length; i++) {
            int element = i / 4;
            int at = displacement + 4 * (element / places.length * tile + places[element % places.length]) + i % 4;
            if (at >= bytes.length) return i;
            into[i] = bytes[at];
        }
        return into.length;
    }

    /// Collective operations wait for accesses that the ranks started earlier.
    @Contract
    public static void collectiveCallsDuringAccesses(Trial t) {
        try (TrialFile file = new TrialFile(t);
                MpiFile f = file.open(Mode.CREATE, Mode.RDWR)) {
            int n = t.size(), each = 1000;
            f.setView(4L * t.rank(), Datatype.INT, Datatype.INT.resized(0, 4L * n));
            int[] mine = new int[each];
            Arrays.fill(mine, t.rank() + 1);
            try (Requests all = t.mpi().requests()) {
                for (int k = 0; k < 5; k++) all.add(f.iwriteAll(buf(mine)));
                f.setAtomicity(true);
                for (int k = 0; k < 5; k++) all.add(f.iwriteAll(buf(mine)));
                f.seekShared(3, Seek.SET);
                f.setAtomicity(false);
                for (int k = 0; k < 5; k++) all.add(f.iwriteAll(buf(mine)));
                all.awaitAll();
            }
            Check.same(3, f.positionShared(), "shared position");
            byte[] bytes = file.bytes();
            Check.same(60L * n * each, bytes.length, "length");
            for (int i = 0; i < bytes.length; i += 4) {
                Check.same(i / 4 % n + 1, MemorySegment.ofArray(bytes).get(WORD, i), "element " + i / 4);
            }
        }
    }

    /// Two ranks write overlapping data to a range with holes. Together they write about as many bytes as the
    /// range contains. The holes remain unchanged.
    @Contract
    public static void overlapsDoNotHideHoles(Trial t) {
        if (t.size() < 2) return;
        try (TrialFile file = new TrialFile(t)) {
            int records = 100;
            byte[] before = new byte[16 * records];
            Arrays.fill(before, OLD);
            file.bytes(before);
            try (MpiFile f = file.open(Mode.RDWR)) {
                f.setView(0, Datatype.BYTE, Datatype.BYTE.contiguous(8).resized(0, 16));
                // the range has 16 * records - 8 bytes, as many as the two ranks write
                int mine = t.rank() == 0 ? records : t.rank() == 1 ? records - 1 : 0;
                f.writeAll(buf(new byte[8 * mine]));
            }
            byte[] after = file.bytes();
            for (int i = 0; i < after.length; i++) Check.same(i % 16 < 8 ? 0 : OLD, after[i], "byte ", i);
        }
    }

    /// A read beyond the end returns the existing data and does not change the rest of the buffer.
    @Contract
    public static void readsStopAtTheEndOfTheFile(Trial t) {
        try (TrialFile file = new TrialFile(t)) {
            file.bytes(new byte[100]);
            try (MpiFile f = file.open(Mode.RDONLY)) {
                for (AccessForm form : AccessForm.values()) {
                    for (int at : new int[] {0, 90, 100, 5000}) {
                        byte[] into = new byte[50];
                        Arrays.fill(into, OLD);
                        Status s = form.read(f, at, buf(into));
                        int n = Math.clamp(100 - at, 0, 50);
                        Check.same(n, s.count(), form + " at " + at);
                        for (int i = 0; i < 50; i++) Check.same(i < n ? 0 : OLD, into[i], form + ": byte " + i);
                    }
                }
                Check.same(0, f.readAt(0, Buf.NONE).count(), "count of an empty read");
            }
        }
    }

    /// Reads and writes data of every kind of memory, with layouts and in pieces.
    @Contract
    public static void memoryOfEveryKind(Trial t) {
        int me = t.rank();
        try (TrialFile file = new TrialFile(t);
                Arena confined = Arena.ofConfined();
                MpiFile f = file.open(Mode.CREATE, Mode.RDWR)) {
            for (AccessForm form : AccessForm.values()) {
                boolean[] flags = {true, false, me == 0};
                boolean[] flagsBack = new boolean[3];
                check(t, f, form, buf(flags), buf(flagsBack));
                Check.that(Arrays.equals(flags, flagsBack), form + ": boolean[]");

                double[][] rows = {{1, me}, {3}}, rowsBack = new double[2][];
                rowsBack[0] = new double[2];
                rowsBack[1] = new double[1];
                check(t, f, form, buf(rows), buf(rowsBack));
                Check.that(Arrays.deepEquals(rows, rowsBack), form + ": double[][]");

                long[] many = new long[10_000], manyBack = new long[10_000];
                for (int i = 0; i < many.length; i++) many[i] = i * (me + 1L);
                Datatype every = Datatype.LONG.vector(5000, 1, 2);
                check(t, f, form, buf(many, 0, 1, every), buf(manyBack, 1, 1, every));
                for (int i = 0; i < 5000; i++) Check.same(many[2 * i], manyBack[2 * i + 1], form + ": vector");

                MemorySegment s = confined.allocate(64), back = confined.allocate(64);
                s.fill((byte) (me + 1));
                check(t, f, form, buf(s), buf(back));
                Check.same(-1, s.mismatch(back), form + ": confined memory");

                MemorySegment own = t.alloc(0, 100_000), ownBack = t.alloc(1, 100_000);
                own.fill((byte) (me + 3));
                ownBack.fill((byte) 0);
                check(t, f, form, buf(own), buf(ownBack));
                Check.same(-1, own.mismatch(ownBack), form + ": memory of alloc");
            }
        }
    }

    private static void check(Trial t, MpiFile f, AccessForm form, Buf out, Buf in) {
        long bytes = out.count() * out.datatype().sizeBytes();
        f.setView(200_000L * t.rank(), Datatype.BYTE);
        Check.same(out.count(), form.write(f, 0, out).count(), form + ": count of " + out);
        f.sync();
        Check.same(out.count(), form.read(f, 0, in).count(), form + ": count of " + in);
        Check.same(form.after(0, bytes), f.position(), form + ": position");
    }

    @Contract
    public static void manyConcurrentRequests(Trial t) {
        int n = 50, me = t.rank(), size = t.size();
        try (TrialFile file = new TrialFile(t);
                MpiFile f = file.open(Mode.CREATE, Mode.RDWR)) {
            f.setView(0, Datatype.INT);
            int[][] data = new int[n][];
            try (Requests all = t.mpi().requests()) {
                for (int i = 0; i < n; i++) {
                    data[i] = new int[] {i * size + me};
                    long at = i * (long) size + me;
                    all.add(i % 2 == 0 ? f.iwriteAt(at, buf(data[i])) : f.iwriteAtAll(at, buf(data[i])));
                }
                Check.that(all.awaitAny().isPresent(), "awaitAny returns no access");
                all.awaitAll();
            }
            f.sync();
            int[] whole = new int[n * size];
            f.readAll(buf(whole));
            for (int i = 0; i < whole.length; i++) Check.same(i, whole[i], "element");
            // collective accesses are executed in the order of the calls
            int[] first = new int[1], then = new int[1];
            Request a = f.iwriteAtAll(me, buf(new int[] {100 + me})), b = f.ireadAtAll(me, buf(first));
            f.readAtAll(me, buf(then));
            Check.same(100 + me, then[0], "value from a blocking read");
            a.await();
            b.await();
            Check.same(100 + me, first[0], "value from a nonblocking read");
        }
    }

    @Contract
    public static void pointersMove(Trial t) {
        try (TrialFile file = new TrialFile(t);
                MpiFile f = file.open(Mode.CREATE, Mode.RDWR)) {
            f.setView(4, Datatype.SHORT, Datatype.SHORT.vector(2, 1, 2).resized(0, 10));
            Check.same(4, f.byteOffset(0), "byte offset");
            Check.same(8, f.byteOffset(1), "byte offset");
            Check.same(14, f.byteOffset(2), "byte offset");
            Check.same(10, f.typeExtent(Datatype.SHORT.vector(2, 1, 2).resized(0, 10)), "extent");
            f.setSize(19);
            f.seek(0, Seek.END);
            // the file ends after the first byte of etype 3, at byte 18
            Check.same(4, f.position(), "end of file");
            f.seek(-3, Seek.CUR);
            Check.same(1, f.position(), "position");
            f.seekShared(2, Seek.SET);
            f.seekShared(1, Seek.CUR);
            Check.same(3, f.positionShared(), "shared position");
            Check.same(Datatype.SHORT, f.view().etype(), "etype");
            Check.same(4, f.view().displacement(), "displacement");
            f.setView(0, Datatype.INT);
            Check.same(0, f.position(), "position of a new view");
            Check.same(0, f.positionShared(), "shared position of a new view");
            View view = f.view().withDisplacement(8).withFiletype(Datatype.INT.resized(0, 8));
            f.setView(view);
            Check.same(view, f.view(), "view");
            Check.same(View.of(8, Datatype.INT).withFiletype(view.filetype()), view, "view of the same values");
            Check.that(!view.equals(view.withRepresentation(DataRep.EXTERNAL32)), "views that differ are equal");
        }
    }

    @Contract
    public static void sharedPointer(Trial t) {
        int n = 40;
        try (TrialFile file = new TrialFile(t);
                MpiFile f = file.open(Mode.CREATE, Mode.RDWR)) {
            f.setView(0, Datatype.LONG);
            long[][] own = new long[n][];
            try (Requests all = t.mpi().requests()) {
                for (int i = 0; i < n; i++) {
                    own[i] = new long[] {t.rank(), i};
                    if (i % 2 == 0) f.writeShared(buf(own[i]));
                    else all.add(f.iwriteShared(buf(own[i])));
                }
                all.awaitAll();
            }
            t.world().barrier();
            Check.same(2L * n * t.size(), f.positionShared(), "shared position");
            long[] whole = new long[2 * n * t.size()];
            f.readAt(0, buf(whole));
            int[] next = new int[t.size()];
            for (int i = 0; i < whole.length; i += 2) {
                Check.same(next[(int) whole[i]]++, whole[i + 1], "the next record of rank " + whole[i]);
            }
            f.seekShared(0, Seek.SET);
            long[] two = new long[2];
            f.readShared(buf(two));
            f.ireadShared(buf(two)).await();
            f.seekShared(0, Seek.SET);
            long[] mine = new long[t.rank() + 1];
            Arrays.fill(mine, t.rank());
            f.writeOrdered(buf(mine));
            f.seekShared(0, Seek.SET);
            long[] back = new long[t.rank() + 1];
            f.readOrderedBegin(buf(back));
            f.readOrderedEnd();
            Check.that(Arrays.equals(mine, back), "data read in rank order");
            f.writeOrderedBegin(buf(mine));
            Check.same(t.rank() + 1, f.writeOrderedEnd().count(), "count");
            f.seekShared(0, Seek.SET);
            f.readOrdered(buf(back));
            Check.that(Arrays.equals(mine, back), "data read in rank order");
        }
    }

    /// Rank 1 moves the shared pointer by a write while the other ranks wait in a collective seek.
    @Contract(minRanks = 2)
    public static void sharedPointerDuringAPendingWrite(Trial t) throws InterruptedException {
        try (TrialFile file = new TrialFile(t);
                MpiFile f = file.open(Mode.CREATE, Mode.RDWR)) {
            if (t.rank() == 1) {
                Thread.sleep(30);
                f.writeShared(buf(new byte[7]));
            }
            f.seekShared(0, Seek.CUR);
            f.seekShared(1, Seek.END);
            Check.same(8, f.positionShared(), "shared position");
        }
    }

    /// Accesses at the largest possible positions.
    @Contract
    public static void positionsAtTheLimit(Trial t) {
        try (TrialFile file = new TrialFile(t);
                MpiFile f = file.open(Mode.CREATE, Mode.RDWR)) {
            int n = t.size();
            f.setView(Long.MAX_VALUE - 50_000L * n + 4L * t.rank(), Datatype.INT, Datatype.INT.resized(0, 4L * n));
            Check.same(0, f.readAtAll(0, buf(new int[8000])).count(), "count");
            Check.same(0, f.readAt(8000, buf(new int[500])).count(), "count beyond the end");
            f.setView(0, Datatype.BYTE);
            f.seekShared(Long.MAX_VALUE - 3, Seek.SET);
            MpiException e = Check.fails(ErrorClass.ERR_ARG, () -> f.writeOrdered(buf(new byte[4])));
            TrialFile.checkText(e, "writeOrdered: ", " on end after byte 2^63 - 1 of the file" + file.at(1));
            f.seekShared(0, Seek.CUR);
            Check.same(Long.MAX_VALUE - 3, f.positionShared(), "shared position");
        }
    }

    /// Overlapping atomic writes: the file contains the data of one write, never parts of two.
    @Contract
    public static void atomicAccesses(Trial t) {
        try (TrialFile file = new TrialFile(t);
                MpiFile f = file.open(Mode.CREATE, Mode.RDWR)) {
            Check.that(!f.isAtomic(), "atomic at first");
            f.setAtomicity(true);
            Check.that(f.isAtomic(), "atomic");
            f.setView(0, Datatype.INT, Datatype.INT.resized(0, 8));
            int[] mine = new int[300], seen = new int[300];
            for (int i = 0; i < 30; i++) {
                Arrays.fill(mine, t.rank() * 100 + i);
                switch (i % 3) {
                    case 0 -> f.writeAt(0, buf(mine));
                    case 1 -> f.writeAtAll(0, buf(mine));
                    default -> f.iwriteAt(0, buf(mine)).await();
                }
                f.readAt(0, buf(seen));
                for (int k = 1; k < seen.length; k++) Check.same(seen[0], seen[k], "element ", k);
            }
            f.setAtomicity(false);
        }
    }
}
