// Behavior of MPJ Express that violates or extends the standard, and on which programs rely: one small program
// for each kind. For DropInLenientTest. Rank 0 prints a line for each fact.

import java.awt.Dimension;
import java.io.File;
import java.io.Serializable;
import java.util.Arrays;
import mpi.*;

public class MpjLenientFacts {
    interface Fact {
        void check() throws Exception;
    }

    static final int LONGER = 128;
    static Intracomm w;
    static int me, n, next, before;

    public static void main(String[] args) throws Exception {
        String[] mine = MPI.Init(args);
        w = MPI.COMM_WORLD;
        me = w.Rank();
        n = w.Size();
        next = (me + 1) % n;
        before = (me + n - 1) % n;
        arguments(args, mine);
        arrays();
        types();
        memory();
        objects();
        MPI.Finalize();
    }

    static void fact(String name, Fact fact) throws Exception {
        try {
            fact.check();
        } catch (Throwable t) {
            System.out.println("FAILED " + name + ": rank " + me + ": " + t + " at " + t.getStackTrace()[1]);
        }
        w.Barrier();
        if (me == 0) System.out.println("ok " + name);
    }

    static void same(Object a, Object b) {
        String left = Arrays.deepToString(new Object[] {a}), right = Arrays.deepToString(new Object[] {b});
        if (!left.equals(right)) throw new AssertionError(left + " is not " + right);
    }

    static void arguments(String[] args, String[] mine) throws Exception {
        fact("wordsOfAStartByMpirunAreTakenOff", () -> {
            same(args, new String[] {"0", "0", "native", "x"});
            same(mine, new String[] {"x"});
        });
    }

    /** Returns an array with more entries than there are ranks. */
    static int[] entries(int each) {
        int[] all = new int[LONGER];
        Arrays.fill(all, each);
        return all;
    }

    static int[] places(int stride) {
        int[] all = new int[LONGER];
        for (int r = 0; r < LONGER; r++) all[r] = stride * r;
        return all;
    }

    static void arrays() throws Exception {
        fact("countsMayBeLongerThanTheCommunicator", () -> {
            int[] all = new int[2 * n], own = {me, me + 1};
            w.Allgatherv(own, 0, 2, MPI.INT, all, 0, entries(2), places(2), MPI.INT);
            int[] expected = new int[2 * n];
            for (int r = 0; r < n; r++) expected[2 * r + 1] = (expected[2 * r] = r) + 1;
            same(all, expected);
            int[] atRoot = new int[2 * n];
            w.Gatherv(own, 0, 2, MPI.INT, atRoot, 0, entries(2), places(2), MPI.INT, 0);
            if (me == 0) same(atRoot, expected);
            int[] part = new int[2];
            w.Scatterv(expected, 0, entries(2), places(2), MPI.INT, part, 0, 2, MPI.INT, 0);
            same(part, own);
            int[] got = new int[n];
            w.Alltoallv(expected, 0, entries(1), places(2), MPI.INT, got, 0, entries(1), places(1), MPI.INT);
            int[] mine = new int[n];
            Arrays.fill(mine, me);
            same(got, mine);
            int[] sum = new int[1];
            w.Reduce_scatter(mine, 0, sum, 0, entries(1), MPI.INT, MPI.SUM);
            same(sum[0], n * (n - 1) / 2);
        });
        fact("countsOfObjectsMayBeLonger", () -> {
            Object[] all = new Object[n], own = {"of " + me}, expected = new Object[n];
            for (int r = 0; r < n; r++) expected[r] = "of " + r;
            w.Allgatherv(own, 0, 1, MPI.OBJECT, all, 0, entries(1), places(1), MPI.OBJECT);
            same(all, expected);
            Object[] atRoot = new Object[n], part = new Object[1], got = new Object[n];
            w.Gatherv(own, 0, 1, MPI.OBJECT, atRoot, 0, entries(1), places(1), MPI.OBJECT, 0);
            if (me == 0) same(atRoot, expected);
            w.Scatterv(expected, 0, entries(1), places(1), MPI.OBJECT, part, 0, 1, MPI.OBJECT, 0);
            same(part, own);
            w.Alltoallv(expected, 0, entries(1), places(1), MPI.OBJECT, got, 0, entries(1), places(1), MPI.OBJECT);
            same(got[n - 1], "of " + me);
            Op join = new Op(new Join(), false);
            Object[] joined = new Object[1];
            w.Reduce_scatter(expected, 0, joined, 0, entries(1), MPI.OBJECT, join);
            same(((String) joined[0]).length(), n * ("of " + me).length());
        });
        fact("countsOfDerivedTypesMayBeLonger", () -> {
            Datatype every = Datatype.Vector(2, 1, 2, MPI.INT);
            int[] all = new int[4 * n], own = {me, 0, me};
            w.Allgatherv(own, 0, 1, every, all, 0, entries(1), places(4), every);
            same(all[4 * (n - 1)], n - 1);
        });
    }

    static class Join extends User_function {
        @Override
        public void Call(Object in, int inOffset, Object inout, int inoutOffset, int count, Datatype type) {
            Object[] a = (Object[]) in, b = (Object[]) inout;
            for (int i = 0; i < count; i++) b[inoutOffset + i] = (String) a[inOffset + i] + b[inoutOffset + i];
        }
    }

    static void types() throws Exception {
        fact("aStructMayBeEmpty", () -> {
            Datatype nothing = Datatype.Struct(new int[0], new int[0], new Datatype[0]);
            nothing.Commit();
            same(nothing.Size(), 0);
            same(nothing.Extent(), 0);
            w.Sendrecv(new byte[1], 0, 1, nothing, next, 0, new byte[1], 0, 1, nothing, before, 0);
            Datatype bounds = Datatype.Struct(new int[] {1, 1}, new int[] {0, 8}, new Datatype[] {MPI.LB, MPI.UB});
            same(bounds.Size(), 0);
            same(bounds.Extent(), 8);
        });
        fact("theClassesThatLibrariesLookForAreThere", () -> {
            Class.forName("mpjdev.Comm");
            Class.forName("mpjbuf.IllegalArgumentException");
        });
    }

    static void memory() throws Exception {
        fact("memoryOfBuffersIsUsedAgain", () -> {
            mpjbuf.RawBuffer first = mpjbuf.BufferFactory.create(1000), other = mpjbuf.BufferFactory.create(1000);
            mpjbuf.Buffer buffer = new mpjbuf.Buffer(first, 0, 1000);
            same(buffer.getCapacity(), 1000);
            buffer.putSectionHeader(mpjbuf.Type.LONG);
            buffer.write(new long[] {1, 2}, 0, 2);
            mpjbuf.BufferFactory.destroy(first);
            mpjbuf.BufferFactory.destroy(first); // no effect
            mpjbuf.RawBuffer second = mpjbuf.BufferFactory.create(900), third = mpjbuf.BufferFactory.create(900);
            if (second == first || third == first || second == third || other == second) throw new AssertionError();
            long start = System.nanoTime();
            for (int i = 0; i < 10_000; i++) mpjbuf.BufferFactory.destroy(mpjbuf.BufferFactory.create(64 << 10));
            long nanos = (System.nanoTime() - start) / 10_000;
            if (nanos > 100_000) throw new AssertionError(nanos + " ns for 64 KiB");
        });
        fact("theRequestOfASendMayBeDropped", () -> {
            Object[] object = {new byte[100]};
            int messages = 1_000; // 64 KiB for each would exceed the direct memory of the test
            if (me == 0) {
                for (int i = 0; i < messages; i++) w.Isend(object, 0, 1, MPI.OBJECT, n - 1, 1);
            }
            if (me == n - 1) for (int i = 0; i < messages; i++) w.Recv(new Object[1], 0, 1, MPI.OBJECT, 0, 1);
        });
        fact("theRequestOfALateSendMayBeDropped", () -> {
            int messages = 200;
            double[] x = {1, 2, 3};
            for (int i = 0; i < messages; i++) w.Isend(x, 0, 3, MPI.DOUBLE, next, 2);
            w.Barrier();
            for (int i = 0; i < messages; i++) w.Recv(x, 0, 3, MPI.DOUBLE, before, 2);
            same(x[2], 3.0);
        });
    }

    /** A class of the program with a field of a type in a different module of the JDK. */
    static class Picture implements Serializable {
        final Dimension size = new Dimension(3, 4);
    }

    static void objects() throws Exception {
        fact("plainValuesOfTheJdkMayBeInObjects", () -> {
            Object[] got = new Object[1];
            w.Sendrecv(new Object[] {new Picture()}, 0, 1, MPI.OBJECT, next, 0, got, 0, 1, MPI.OBJECT, before, 0);
            same(((Picture) got[0]).size.height, 4);
        });
        fact("aRefusalNamesTheProgramsCall", () -> {
            Request sent = w.Isend(new Object[] {new File("x")}, 0, 1, MPI.OBJECT, next, 0);
            try {
                w.Recv(new Object[1], 0, 1, MPI.OBJECT, before, 0);
                throw new AssertionError("a file was received");
            } catch (MPIException e) {
                same(e.getMessage(), "Recv: the message holds a java.io.File, which is not a class of the program"
                        + " or a value of the JDK; --jvm=-Dtutti.mpj.filter=off lets every class in");
            }
            sent.Wait();
        });
    }
}
