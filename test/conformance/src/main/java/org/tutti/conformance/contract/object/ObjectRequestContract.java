package org.tutti.conformance.contract.object;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Complex;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Message;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.ObjectRequest;
import org.tutti.mpi.Request;
import org.tutti.mpi.Requests;
import org.tutti.mpi.Status;

/// Nonblocking and synchronous sends, nonblocking receives and exchanges of objects, and large arrays.
public final class ObjectRequestContract {
    private ObjectRequestContract() {}

    /// A record with a constructor that copies the arrays.
    public record Grid(String name, double[] cells, int[] shape) {
        public Grid {
            cells = cells.clone();
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Grid g
                    && name.equals(g.name)
                    && Arrays.equals(cells, g.cells)
                    && Arrays.equals(shape, g.shape);
        }

        @Override
        public int hashCode() {
            return Objects.hash(name, Arrays.hashCode(cells), Arrays.hashCode(shape));
        }

        @Override
        public String toString() {
            return "Grid " + name + " of " + cells.length;
        }
    }

    /// A record with a constructor that throws while [#BREAKS] is set.
    public record Fragile(int number) {
        public Fragile {
            if (BREAKS.get()) throw new LinkageError("broke");
        }
    }

    private static final ThreadLocal<Boolean> BREAKS = ThreadLocal.withInitial(() -> false);

    private static Grid grid(int rank, int cells) {
        double[] all = new double[cells];
        for (int i = 0; i < cells; i++) all[i] = i * 0.5 + rank;
        int[] shape = new int[cells / 3];
        for (int i = 0; i < shape.length; i++) shape[i] = i ^ rank;
        return new Grid("grid of " + rank, all, shape);
    }

    @Contract
    public static void aRingOfRequests(Trial t) {
        Comm w = t.world();
        for (int cells : new int[] {0, 10, 4_000, 5_000, 100_000, 700_000}) {
            ObjectRequest<Grid> in = w.irecvObject(Grid.class, t.left(), 5);
            Request out = w.isendObject(grid(t.rank(), cells), t.right(), 5);
            Check.same(grid(t.left(), cells), in.awaitObject(), "grid of " + cells);
            Status s = in.await();
            Check.same(t.left(), s.source(), "source");
            Check.same(5, s.tag(), "tag");
            Check.that(in.test(), "complete and not complete");
            Check.same(grid(t.left(), cells), in.awaitObject(), "the same once more");
            out.await();
        }
    }

    /// Every rank starts to receive and then sends a long object: the receives must make progress while the
    /// sends wait.
    @Contract
    public static void longObjectsCross(Trial t) {
        Comm w = t.world();
        List<ObjectRequest<Grid>> in = new ArrayList<>();
        for (int r = 0; r < t.size(); r++) in.add(w.irecvObject(Grid.class, r, 6));
        for (int r = 0; r < t.size(); r++) w.sendObject(grid(t.rank() * 100 + r, 60_000), r, 6);
        for (int r = 0; r < t.size(); r++) {
            Check.same(grid(r * 100 + t.rank(), 60_000), in.get(r).awaitObject(), "grid from " + r);
        }
    }

    @Contract
    public static void manyPendingObjectsStayInOrder(Trial t) {
        Comm w = t.world();
        int many = 40;
        try (Requests all = t.mpi().requests()) {
            List<ObjectRequest<Object>> in = new ArrayList<>();
            for (int i = 0; i < many; i++) {
                ObjectRequest<Object> r = w.irecvObject(Object.class, t.left(), i % 2);
                in.add(r);
                all.add(r);
            }
            for (int i = 0; i < many; i++) all.add(w.isendObject(value(t.rank(), i), t.right(), i % 2));
            all.awaitAll();
            for (int i = 0; i < many; i++) {
                Check.same(value(t.left(), i), in.get(i).awaitObject(), "object " + i);
            }
        }
    }

    private static Object value(int rank, int i) {
        return i % 5 == 0 ? grid(rank, 1000 * i) : List.of(rank, i, "x".repeat(100 * i));
    }

    @Contract(minRanks = 2)
    public static void requestReturnsTheSource(Trial t) {
        Comm w = t.world();
        if (t.rank() != 0) {
            w.sendObject(Map.of("rank", t.rank()), 0, t.rank());
            return;
        }
        boolean[] seen = new boolean[t.size()];
        for (int i = 1; i < t.size(); i++) {
            ObjectRequest<?> r = w.irecvObject(Map.class);
            Status s = r.await();
            Check.same(Map.of("rank", s.source()), r.awaitObject(), "object");
            Check.same(s.source(), s.tag(), "tag");
            Check.that(!seen[s.source()], "two from " + s.source());
            seen[s.source()] = true;
        }
    }

    @Contract
    public static void nullAndProcNull(Trial t) {
        Comm w = t.world();
        ObjectRequest<String> in = w.irecvObject(String.class, t.left(), 2);
        w.isendObject(null, t.right(), 2).await();
        Check.that(in.awaitObject() == null, "null arrived as something");
        Check.same(t.left(), in.await().source(), "source of null");
        w.sendObject("x", Comm.PROC_NULL);
        w.isendObject("x", Comm.PROC_NULL).await();
        Check.that(w.recvObject(String.class, Comm.PROC_NULL) == null, "an object from PROC_NULL");
        ObjectRequest<String> fromProcNull = w.irecvObject(String.class, Comm.PROC_NULL);
        Check.that(fromProcNull.awaitObject() == null, "an object from PROC_NULL");
        Check.same(Comm.PROC_NULL, fromProcNull.await().source(), "source");
    }

    @Contract
    public static void aCancelledReceiveHasNoObject(Trial t) {
        ObjectRequest<String> r = t.world().irecvObject(String.class, t.left(), 77);
        r.cancel();
        Check.that(r.await().isCancelled(), "isCancelled() is false after cancel");
        Check.rejects(
                ErrorClass.ERR_REQUEST,
                "irecvObject: the request was cancelled and has no object (" + t.where() + ")",
                r::awaitObject);
    }

    @Contract
    public static void requestReportsAnUnexpectedClass(Trial t) {
        Comm w = t.world();
        ObjectRequest<Integer> r = w.irecvObject(Integer.class, t.left(), 9);
        w.isendObject(grid(t.rank(), 50_000), t.right(), 9).await();
        for (int i = 0; i < 2; i++) {
            MpiException e = Check.fails(ErrorClass.ERR_TYPE, r::await);
            Check.same(
                    "irecvObject: message from rank " + t.left() + ", tag 9, holds an " + Grid.class.getName()
                            + ", not a java.lang.Integer (" + t.where() + ")",
                    e.getMessage(),
                    "text");
        }
    }

    @Contract
    public static void unsupportedValueIsNotSent(Trial t) {
        Comm w = t.world();
        for (String operation : List.of("isendObject", "ssendObject", "issendObject", "sendrecvObject")) {
            MpiException e = Check.fails(ErrorClass.ERR_TYPE, () -> {
                Object bad = List.of(new long[20_000], new Object());
                switch (operation) {
                    case "isendObject" -> w.isendObject(bad, t.right());
                    case "ssendObject" -> w.ssendObject(bad, t.right());
                    case "issendObject" -> w.issendObject(bad, t.right());
                    default -> w.sendrecvObject(bad, t.right(), String.class, t.left());
                }
            });
            String text = String.valueOf(e.getMessage());
            Check.that(text.startsWith(operation + ": List[1]: java.lang.Object cannot be sent; "), "text: " + text);
            Check.same(MpiException.Scope.ARGUMENT, e.scope(), "scope");
        }
    }

    @Contract
    public static void exchangesWithTwoNeighbors(Trial t) {
        Comm w = t.world();
        for (int cells : new int[] {1, 90_000}) {
            Grid got = w.sendrecvObject(grid(t.rank(), cells), t.right(), Grid.class, t.left());
            Check.same(grid(t.left(), cells), got, "from the left");
        }
        int last = t.size() - 1;
        int to = t.rank() == last ? Comm.PROC_NULL : t.right();
        int from = t.rank() == 0 ? Comm.PROC_NULL : t.left();
        String shifted = w.sendrecvObject("rank " + t.rank(), to, 1, String.class, from, 1);
        Check.same(t.rank() == 0 ? null : "rank " + t.left(), shifted, "shifted");
    }

    @Contract
    public static void complexNumbersAreValues(Trial t) {
        Complex z = new Complex(2, 3);
        Check.same("2.0+3.0i", z.toString(), "text");
        Check.same("2.0-3.0i", z.conj().toString(), "text of the conjugate");
        Check.same(new Complex(-5, 12), z.times(z), "square");
        Check.same(new Complex(4, 0), z.plus(z.conj()), "sum");
        Check.same(new Complex(0, 6), z.minus(z.conj()), "difference");
        Check.that(new Complex(3, -4).abs() == 5, "abs");
        Object got = t.world().sendrecvObject(List.of(z, new Complex[] {Complex.I}), t.right(), List.class, t.left());
        Check.that(got instanceof List<?> l && l.getFirst().equals(z), "got " + got);
    }

    @Contract
    public static void bufferedObjectsNeedNoReceive(Trial t) {
        Comm w = t.world();
        double[] cells = new double[50_000];
        for (int i = 0; i < 5; i++) {
            cells[0] = i;
            w.bsendObject(cells, t.right(), 8);
            cells[0] = -1;
        }
        for (int i = 0; i < 5; i++) {
            double[] got = w.recvObject(double[].class, t.left(), 8);
            Check.that(got != null && got.length == cells.length && got[0] == i, "buffered object " + i);
        }
        t.mpi().flushBuffers();
        w.barrier();
    }

    @Contract
    public static void matchedProbesReceiveObjects(Trial t) {
        Comm w = t.world();
        for (int cells : new int[] {3, 30_000}) {
            Request out = w.isendObject(grid(t.rank(), cells), t.right(), 11);
            Message m = w.mprobe(t.left(), 11);
            Check.same(grid(t.left(), cells), m.recvObject(Grid.class), "grid of " + cells);
            Check.rejects(
                    ErrorClass.ERR_REQUEST,
                    "Message.recvObject: this message was received before (" + t.where() + ")",
                    () -> m.recvObject(Grid.class));
            out.await();
        }
    }

    /// The object has more bytes than an `int` can count, most of these in arrays.
    @Contract(minRanks = 2, maxRanks = 2, engine = "shm", large = true)
    public static void moreThanTwoGibibytesInOneObject(Trial t) {
        int count = 9;
        long[] pattern = new long[1 << 25];
        for (int i = 0; i < pattern.length; i++) pattern[i] = i * 0x9E3779B97F4A7C15L;
        if (t.rank() == 0) {
            t.world().sendObject(Collections.nCopies(count, pattern), 1);
        } else {
            ObjectRequest<?> r = t.world().irecvObject(List.class, 0);
            Check.that(r.await().sizeBytes() > Integer.MAX_VALUE, "length");
            Check.that(r.awaitObject() instanceof List<?> l && l.size() == count, "not a list of " + count);
            if (r.awaitObject() instanceof List<?> got) {
                for (Object part : got) {
                    Check.that(part instanceof long[] a && Arrays.equals(pattern, a), "a part differs");
                }
            }
        }
        t.world().barrier();
    }

    /// An array of 40 MiB is part of a larger object.
    @Contract(minRanks = 2, maxRanks = 3, slow = true)
    public static void fortyMebibytes(Trial t) {
        double[] big = new double[5 << 20];
        for (int i = 0; i < big.length; i++) big[i] = i + t.rank();
        Map<?, ?> got = t.world().sendrecvObject(Map.of("big", big, "n", 1), t.right(), Map.class, t.left());
        Check.that(got != null && got.get("big") instanceof double[], "no array in " + got);
        if (got != null && got.get("big") instanceof double[] there) {
            for (int i = 0; i < big.length; i++) {
                if (there[i] != i + t.left()) Check.same(i + t.left(), (Object) there[i], "element " + i);
            }
        }
    }

    /// If the program's constructor throws during decoding, the request throws the error on each call.
    @Contract
    public static void constructorFailureIsRethrown(Trial t) throws Exception {
        ObjectRequest<Fragile> object = t.world().irecvObject(Fragile.class, t.left(), 3);
        Request send = t.world().isendObject(new Fragile(t.rank()), t.right(), 3);
        fails(object::awaitObject);
        fails(object::awaitObject);
        send.await();
        Request records = t.world().irecv(Buf.buf(new Fragile[] {new Fragile(0)}), t.left(), 4);
        send = t.world().isend(Buf.buf(new Fragile[] {new Fragile(t.rank())}), t.right(), 4);
        breaksEachTime(records::await);
        send.await();
        Requests both = t.mpi().requests();
        both.add(t.world().irecvObject(Fragile.class, t.left(), 5));
        t.world().sendObject(new Fragile(t.rank()), t.right(), 5);
        fails(both::awaitAny);
        Check.same(OptionalInt.empty(), both.awaitAny(), "awaitAny after all completions");
    }

    /// Checks that the receive fails with an error that names the constructor and the cause.
    private static void fails(Check.Action action) throws Exception {
        BREAKS.set(true);
        try {
            action.run();
        } catch (MpiException e) {
            String text = String.valueOf(e.getMessage());
            Check.that(text.contains("Fragile threw java.lang.LinkageError: broke"), text);
            return;
        } finally {
            BREAKS.remove();
        }
        throw new AssertionError("the error of the constructor was not reported");
    }

    private static void breaksEachTime(Check.Action action) {
        breaks(action);
        breaks(action);
    }

    private static void breaks(Check.Action action) {
        BREAKS.set(true);
        try {
            action.run();
        } catch (LinkageError e) {
            return;
        } catch (Exception e) {
            throw new AssertionError("expected the error of the constructor but was " + e, e);
        } finally {
            BREAKS.remove();
        }
        throw new AssertionError("the error of the constructor was not thrown");
    }
}
