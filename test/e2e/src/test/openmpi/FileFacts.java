// Facts about files of Open MPI's Java bindings, for OpenMpiJavaTest. Rank 0 prints a line for each fact that
// holds.

import java.nio.*;
import java.util.*;
import mpi.*;

public class FileFacts extends OpenMpiFacts {
    static final int MODE = MPI.MODE_CREATE | MPI.MODE_RDWR | MPI.MODE_DELETE_ON_CLOSE;

    public static void main(String[] args) throws Exception {
        MPI.Init(args);
        begin();
        String path = args[0];

        fact("theSharedPointerGivesEachItsPlace", () -> {
            File f = new File(w, path, MODE);
            f.setView(0, MPI.INT, MPI.INT, "native");
            f.writeShared(new int[] {me}, 1, MPI.INT);
            w.barrier();
            same(f.getPositionShared(), (long) n);
            int[] all = new int[n];
            f.readAt(0, all, n, MPI.INT);
            Arrays.sort(all);
            for (int r = 0; r < n; r++) same(all[r], r);
            w.barrier();
            f.seekShared(0, MPI.SEEK_SET);
            IntBuffer one = MPI.newIntBuffer(1);
            same(f.iReadShared(one, 1, MPI.INT).waitStatus().getCount(MPI.INT), 1);
            same(one.get(0) >= 0 && one.get(0) < n, true);
            w.barrier();
            f.iWriteShared(one, 1, MPI.INT).waitFor();
            w.barrier();
            same(f.getPositionShared(), 2L * n);
            w.barrier();
            f.close();
        });
        fact("orderedIsInRankOrder", () -> {
            File f = new File(w, path, MODE);
            f.setView(0, MPI.LONG, MPI.LONG, "native");
            f.writeOrdered(new long[] {me, -me}, 2, MPI.LONG);
            f.writeOrderedBegin(new long[] {100 + me}, 1, MPI.LONG);
            f.writeOrderedEnd(null);
            f.seekShared(0, MPI.SEEK_SET);
            long[] two = new long[2];
            f.readOrdered(two, 2, MPI.LONG);
            same(two, new long[] {me, -me});
            f.readOrderedBegin(two, 1, MPI.LONG);
            same(f.readOrderedEnd(two).getCount(MPI.LONG), 1);
            same(two[0], 100L + me);
            f.close();
        });
        fact("callsInTwoHalvesMoveTheSame", () -> {
            File f = new File(w, path, MODE);
            f.setView(4L * me, MPI.INT, Datatype.createResized(MPI.INT, 0, 4 * n), "native");
            f.writeAllBegin(new int[] {me, 10 + me}, 2, MPI.INT);
            same(f.writeAllEnd(null).getCount(MPI.INT), 2);
            f.writeAtAllBegin(2, new int[] {20 + me}, 1, MPI.INT);
            f.writeAtAllEnd(null);
            f.seek(0, MPI.SEEK_SET);
            int[] got = new int[3];
            f.readAllBegin(got, 3, MPI.INT);
            same(f.readAllEnd(got).getCount(MPI.INT), 3);
            same(got, new int[] {me, 10 + me, 20 + me});
            f.close();
        });
        fact("requestsOfAFileEnd", () -> {
            File f = new File(w, path, MODE);
            f.setView(16L * me, MPI.INT, MPI.INT, "native");
            IntBuffer out = MPI.newIntBuffer(2).put(0, me).put(1, 7), in = MPI.newIntBuffer(2);
            f.iWrite(out, 2, MPI.INT).waitFor();
            f.iWriteAt(2, out, 2, MPI.INT).waitFor();
            f.seek(0, MPI.SEEK_SET);
            same(f.iRead(in, 2, MPI.INT).waitStatus().getCount(MPI.INT), 2);
            same(in, out);
            f.iReadAll(in, 2, MPI.INT).waitFor();
            same(in.get(0), me);
            f.iReadAtAll(1, in, 1, MPI.INT).waitFor();
            same(in.get(0), 7);
            f.iWriteAll(out, 1, MPI.INT).waitFor();
            f.iWriteAtAll(0, out, 1, MPI.INT).waitFor();
            fails(IllegalArgumentException.class, () -> f.iRead(IntBuffer.allocate(2), 2, MPI.INT));
            f.close();
        });
        fact("filesHaveSizesAndPositions", () -> {
            File f = new File(w, path, MODE);
            f.setSize(40);
            same(f.getSize(), 40L);
            f.preallocate(80);
            same(f.getSize(), 80L);
            f.setView(0, MPI.DOUBLE, MPI.DOUBLE, "native");
            f.seek(-1, MPI.SEEK_END);
            same(f.getPosition(), 9L);
            f.seek(-2, MPI.SEEK_CUR);
            same(f.getByteOffset(f.getPosition()), 56L);
            same(f.getTypeExtent(MPI.DOUBLE), 8);
            same(f.getAtomicity(), false);
            f.setAtomicity(true);
            same(f.getAtomicity(), true);
            f.sync();
            f.close();
        });
        fact("aReadBeyondTheEndIsShort", () -> {
            File f = new File(w, path, MODE);
            if (me == 0) f.writeAt(0, new byte[] {1, 2, 3}, 3, MPI.BYTE);
            f.sync();
            w.barrier();
            byte[] got = {9, 9, 9, 9, 9};
            same(f.readAt(1, got, 5, MPI.BYTE).getCount(MPI.BYTE), 2);
            same(got, new byte[] {2, 3, 9, 9, 9});
            same(f.readAt(50, got, 5, MPI.BYTE).getCount(MPI.BYTE), 0);
            w.barrier();
            f.close();
        });
        fact("aViewHasItsTypes", () -> {
            File f = new File(w, path, MODE);
            Datatype tiles = Datatype.createIndexed(new int[] {1, 2}, new int[] {0, 2}, MPI.SHORT);
            f.setView(6, MPI.SHORT, tiles, "native", MPI.INFO_NULL);
            FileView v = f.getView();
            same(v.getDisp(), 6L);
            same(v.getEType().getSize(), MPI.SHORT.getSize());
            same(v.getFileType().getExtent(), 4);
            same(v.getDataRep(), "native");
            same(f.getByteOffset(1), 10L);
            same(f.getByteOffset(3), 14L);
            f.close();
        });
        fact("filesKnowWhoOpenedThem", () -> {
            Info info = new Info();
            info.set("access_style", "read_once");
            File f = new File(w, path, MODE, info);
            same(f.getAMode(), MODE);
            same(Group.compare(f.getGroup(), w.getGroup()), MPI.IDENT);
            same(f.getInfo().isNull(), false);
            f.setInfo(info);
            f.close();
        });
        fact("errorsOfFilesAreThrown", () -> {
            same(fails(MPIException.class, () -> File.delete(path + ".none")).getErrorClass(), MPI.ERR_NO_SUCH_FILE);
            MPIException mode = fails(MPIException.class, () -> new File(MPI.COMM_SELF, path, MPI.MODE_RDONLY | MPI.MODE_RDWR));
            same(mode.getErrorClass(), MPI.ERR_AMODE);
            String own = path + "." + me;
            File make = new File(MPI.COMM_SELF, own, MPI.MODE_CREATE | MPI.MODE_WRONLY);
            make.close();
            File f = new File(MPI.COMM_SELF, own, MPI.MODE_RDONLY);
            same(f.getErrhandler(), MPI.ERRORS_RETURN);
            fails(MPIException.class, () -> f.write(new byte[1], 1, MPI.BYTE));
            fails(MPIException.class, () -> f.seek(-1, MPI.SEEK_SET));
            fails(MPIException.class, () -> f.setView(-1, MPI.BYTE, MPI.BYTE, "native"));
            same(fails(MPIException.class, () -> f.setView(0, MPI.BYTE, MPI.BYTE, "none")).getErrorClass(),
                    MPI.ERR_UNSUPPORTED_DATAREP);
            fails(ArrayIndexOutOfBoundsException.class, () -> f.read(new byte[1], 2, MPI.BYTE));
            f.close();
            same(fails(MPIException.class, () -> f.getPosition()).getErrorClass(), MPI.ERR_FILE);
            File.delete(own, MPI.INFO_NULL);
        });
        MPI.Finalize();
    }
}
