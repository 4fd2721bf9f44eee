package org.tutti.conformance.contract.file;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.ArrayOrder;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Distribution;
import org.tutti.mpi.MpiFile;
import org.tutti.mpi.MpiFile.DataRep;
import org.tutti.mpi.MpiFile.Mode;
import org.tutti.mpi.Status;

/// Data representations of files: as in memory, or portable between machines. MPI 4.1, section 14.5.
public final class FileRepresentationContract {
    private FileRepresentationContract() {}

    @Contract
    public static void bigEndianForAllMachines(Trial t) {
        int n = t.size(), me = t.rank();
        try (TrialFile file = new TrialFile(t);
                MpiFile f = file.open(Mode.CREATE, Mode.RDWR)) {
            f.setView(8L * me, Datatype.DOUBLE, Datatype.DOUBLE.resized(0, 8L * n), DataRep.EXTERNAL32);
            double[] x = {me + 0.5, -me, 1e300}, back = new double[4];
            f.writeAll(buf(x));
            ByteBuffer all = ByteBuffer.wrap(file.bytes()).order(ByteOrder.BIG_ENDIAN);
            for (int i = 0; i < 3; i++) Check.same(x[i], all.getDouble(8 * (i * n + me)), "number " + i);
            back[3] = 7;
            Check.same(3, f.readAt(0, buf(back)).count(), "count");
            Check.that(Arrays.equals(new double[] {x[0], x[1], x[2], 7}, back), "data read");
            Check.same(3, f.ireadAtAll(0, buf(back)).await().count(), "count");
            Check.same(DataRep.EXTERNAL32, f.view().representation(), "representation");
        }
    }

    /// In a file, a pair with a gap in memory has 12 bytes, as in C.
    @Contract
    public static void pairsHaveNoGaps(Trial t) {
        int me = t.rank();
        try (TrialFile file = new TrialFile(t);
                MpiFile f = file.open(Mode.CREATE, Mode.RDWR)) {
            double[] values = {me, 2.5}, back = new double[3];
            int[] places = {7, me}, placesBack = new int[3];
            Check.same(2, f.writeAtAll(24L * me, buf(values, places)).count(), "count");
            byte[] bytes = file.bytes();
            Check.same(24L * t.size(), bytes.length, "bytes");
            ByteBuffer own = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
            Check.same(2.5, own.getDouble(24 * me + 12), "value");
            Check.same(me, own.getInt(24 * me + 20), "place");
            long count = f.readAt(24L * me, buf(back, placesBack)).count();
            Check.same(me == t.size() - 1 ? 2 : 3, count, "elements read");
            Check.that(back[1] == 2.5 && placesBack[1] == me, "data read");
            f.setView(0, Datatype.DOUBLE_INT);
            Check.same(16, f.typeExtent(Datatype.DOUBLE_INT), "extent");
            f.setView(0, Datatype.DOUBLE_INT, Datatype.DOUBLE_INT, DataRep.EXTERNAL32);
            Check.same(12, f.typeExtent(Datatype.DOUBLE_INT), "extent");
            Check.same(60, f.byteOffset(5), "byte offset");
        }
    }

    /// Checks the positions of the first six pairs of a view. In native representation, the positions equal
    /// OMPIO's positions. In `EXTERNAL32`, OMPIO ignores the extents, so the expected positions follow section
    /// 14.5.1 instead.
    @Contract(slow = true)
    public static void pairsOfDerivedFileTypes(Trial t) {
        Datatype pair = Datatype.DOUBLE_INT;
        Datatype two = pair.contiguous(2);
        int[] lengths = {2, 1}, sizes = {2, 3}, parts = {2, 2}, starts = {0, 1};
        Distribution[] dealt = {Distribution.CYCLIC};
        int[] byDefault = {Distribution.DEFAULT_ARGUMENT};
        Datatype struct = Datatype.struct(lengths, new long[] {0, 40}, pair, two);
        try (TrialFile file = new TrialFile(t);
                MpiFile f = file.open(Mode.CREATE, Mode.RDWR)) {
            PairFile p = new PairFile(t, file, f);
            p.check(two, "0 16 32 48 64 80", "0 12 24 36 48 60");
            p.check(pair.dup().named("p").contiguous(3), "0 16 32 48 64 80", "0 12 24 36 48 60");
            p.check(pair.vector(2, 1, 2), "0 32 48 80 96 128", "0 24 36 60 72 96");
            p.check(pair.hvector(2, 1, 40), "0 40 56 96 112 152", "0 40 52 92 104 144");
            p.check(pair.indexed(lengths, new int[] {0, 4}), "0 16 64 80 96 144", "0 12 48 60 72 108");
            p.check(pair.indexedBlock(1, new int[] {0, 2}), "0 32 48 80 96 128", "0 24 36 60 72 96");
            p.check(pair.hindexed(lengths, new long[] {4, 60}), "4 20 60 76 92 132", "4 16 60 72 84 128");
            p.check(pair.hindexedBlock(1, new long[] {0, 40}), "0 40 56 96 112 152", "0 40 52 92 104 144");
            p.check(pair.resized(0, 24), "0 24 48 72 96 120", "0 24 48 72 96 120");
            p.check(pair.resized(0, 12).contiguous(3), "0 12 24 36 48 60", "0 12 24 36 48 60");
            p.check(pair.subarray(sizes, parts, starts), "16 32 64 80 112 128", "12 24 48 60 84 96");
            p.check(
                    pair.darray(2, 1, new int[] {4}, dealt, byDefault, new int[] {2}, ArrayOrder.C),
                    "16 48 80 112 144 176",
                    "12 36 60 84 108 132");
            p.check(two.vector(2, 1, 2), "0 16 64 80 96 112", "0 12 48 60 72 84");
            p.check(struct, "0 16 40 56 72 88", "0 12 40 52 64 76");
        }
    }

    /// A file into which each rank writes a part.
    private record PairFile(Trial trial, TrialFile file, MpiFile open) {
        private static final int PAIRS = 6, ROOM = 256;

        void check(Datatype filetype, String places, String external) {
            check(filetype, DataRep.NATIVE, ByteOrder.nativeOrder(), places);
            check(filetype, DataRep.EXTERNAL32, ByteOrder.BIG_ENDIAN, external);
        }

        private void check(Datatype filetype, DataRep representation, ByteOrder order, String places) {
            open.setSize(0);
            int begin = ROOM * trial.rank();
            open.setView(begin, Datatype.DOUBLE_INT, filetype, representation);
            byte[] expected = new byte[ROOM];
            double[] values = new double[PAIRS];
            int[] numbers = new int[PAIRS];
            String[] each = places.split(" ");
            for (int i = 0; i < PAIRS; i++) {
                values[i] = i + 0.1;
                numbers[i] = (i + 1) * -1_234_567;
                ByteBuffer.wrap(expected)
                        .order(order)
                        .putDouble(Integer.parseInt(each[i]), values[i])
                        .putInt(Integer.parseInt(each[i]) + 8, numbers[i]);
            }
            String label = filetype + " in " + representation;
            Check.same((long) PAIRS, open.writeAtAll(0, buf(values, numbers)).count(), label);
            byte[] all = file.bytes();
            int end = Integer.parseInt(each[PAIRS - 1]) + 12;
            Check.same(ROOM * (trial.size() - 1) + end, all.length, label);
            byte[] mine = Arrays.copyOf(Arrays.copyOfRange(all, begin, all.length), ROOM);
            Check.that(Arrays.equals(expected, mine), label + ": " + Arrays.toString(mine));
            Check.same(Integer.parseInt(each[3]) + (long) begin, open.byteOffset(3), label);
            Check.same((long) PAIRS, open.readAtAll(0, buf(values, numbers)).count(), label);
            // reads more elements than the file contains, with a type of two pairs
            Datatype two = Datatype.DOUBLE_INT.contiguous(2);
            MemorySegment memory = MemorySegment.ofArray(new byte[4 * 32]);
            Status got = open.readAt(1, buf(memory, two));
            boolean last = trial.rank() == trial.size() - 1;
            if (last) Check.same(5L, got.elements(two), label);
            if (last) Check.same(60L, got.sizeBytes(), label); // without the gaps
            for (int i = 0; i < 5; i++) {
                Check.same(values[i + 1], memory.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, 16L * i), label);
                Check.same(numbers[i + 1], memory.get(ValueLayout.JAVA_INT_UNALIGNED, 16L * i + 8), label);
            }
            trial.world().barrier();
        }
    }
}
