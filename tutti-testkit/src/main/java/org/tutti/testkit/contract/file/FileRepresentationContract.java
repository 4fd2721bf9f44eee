package org.tutti.testkit.contract.file;

import static org.tutti.mpi.Buf.buf;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.MpiFile;
import org.tutti.mpi.MpiFile.DataRep;
import org.tutti.mpi.MpiFile.Mode;
import org.tutti.testkit.trial.Check;
import org.tutti.testkit.trial.Contract;
import org.tutti.testkit.trial.Trial;

/// How data lies in a file: as in memory, or as on all machines. MPI 4.1, section 14.5.
public final class FileRepresentationContract {
    private FileRepresentationContract() {}

    @Contract
    public static void bigEndianForAllMachines(Trial t) {
        int n = t.size(), me = t.rank();
        try (TrialFile file = new TrialFile(t);
                MpiFile f = file.open(Mode.CREATE, Mode.RDWR)) {
            f.view(8L * me, Datatype.DOUBLE, Datatype.DOUBLE.resized(0, 8L * n), DataRep.EXTERNAL32);
            double[] x = {me + 0.5, -me, 1e300}, back = new double[4];
            f.writeAll(buf(x));
            ByteBuffer all = ByteBuffer.wrap(file.bytes()).order(ByteOrder.BIG_ENDIAN);
            for (int i = 0; i < 3; i++) Check.same(x[i], all.getDouble(8 * (i * n + me)), "number " + i);
            back[3] = 7;
            Check.same(3, f.readAt(0, buf(back)).count(), "count");
            Check.that(Arrays.equals(new double[] {x[0], x[1], x[2], 7}, back), "what was read");
            Check.same(3, f.ireadAtAll(0, buf(back)).await().count(), "count");
            Check.same(DataRep.EXTERNAL32, f.view().representation(), "representation");
        }
    }

    /// A pair with a gap takes 12 bytes, as in C.
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
            Check.same(me == t.size() - 1 ? 2 : 3, count, "count of what was read");
            Check.that(back[1] == 2.5 && placesBack[1] == me, "what was read");
            f.view(0, Datatype.DOUBLE_INT);
            Check.same(16, f.typeExtent(Datatype.DOUBLE_INT), "extent");
            f.view(0, Datatype.DOUBLE_INT, Datatype.DOUBLE_INT, DataRep.EXTERNAL32);
            Check.same(12, f.typeExtent(Datatype.DOUBLE_INT), "extent");
            Check.same(60, f.byteOffset(5), "byte offset");
        }
    }
}
