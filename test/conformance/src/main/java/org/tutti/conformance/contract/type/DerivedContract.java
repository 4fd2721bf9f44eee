package org.tutti.conformance.contract.type;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Sending;
import org.tutti.conformance.trial.Trial;
import org.tutti.conformance.trial.TypeModel;
import org.tutti.conformance.trial.TypedArea;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Message;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Op;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Request;
import org.tutti.mpi.Status;

/// Messages of derived types. MPI 4.1, chapter 5.
public final class DerivedContract {
    private static final int ROWS = 300, COLUMNS = 7;

    private DerivedContract() {}

    /// Returns the bytes that `rank` sends, by index.
    private static IntUnaryOperator sent(int rank) {
        return i -> 31 * i + 7 * rank + 1;
    }

    /// Sends to the right and receives from the left, in the mode with index `number`; checks the received
    /// bytes, and that all other bytes are unchanged.
    private static void round(
            Trial t, TypeModel out, int outCount, TypeModel in, int inCount, boolean heap, int number, String label) {
        TypedArea from = new TypedArea(out, outCount, heap).fill(sent(t.rank()));
        TypedArea to = new TypedArea(in, inCount, !heap || number % 3 == 0);
        Request receive = t.world().irecv(to.buf(), t.left(), 3);
        Sending mode = Sending.of(number);
        // a ready send requires a posted receive
        if (mode.name().contains("RSEND")) t.world().barrier();
        Request send = mode.begin(t.world(), from.buf(), t.right(), 3);
        Status s = receive.await();
        if (send != null) send.await();
        // some bytes may be sent twice, so the expected bytes are read from memory
        IntUnaryOperator expected =
                new TypedArea(out, outCount, true).fill(sent(t.left())).packed();
        byte[] last = new byte[Math.toIntExact(to.packedBytes())];
        for (int i = 0; i < from.packedBytes(); i++) last[i] = (byte) expected.applyAsInt(i);
        to.expect(i -> last[i], from.packedBytes(), label + " from rank " + t.left());
        Check.same(from.packedBytes(), s.sizeBytes(), "sizeBytes of " + label);
        Check.same((long) outCount * out.map().size(), s.elements(in.type()), "elements of " + label);
        if (send instanceof PersistentRequest p) p.close();
    }

    private static List<TypeModel> models(Trial t) {
        List<TypeModel> all = new ArrayList<>(TypeModel.ofEachConstructor(t.random(), Datatype.DOUBLE));
        all.addAll(TypeModel.ofEachConstructor(t.random(), Datatype.SHORT));
        return all;
    }

    @Contract
    public static void everyConstructorMatchesItself(Trial t) {
        int number = 0;
        for (TypeModel m : models(t)) {
            int safe = m.overlaps(2) ? m.overlaps(1) ? 0 : 1 : 3;
            if (m.overlaps(1)) continue;
            round(t, m, safe, m, safe, number % 2 == 0, number++, safe + " " + m.type());
            round(t, m, 0, m, safe, number % 2 == 0, number++, "0 " + m.type());
        }
    }

    @Contract
    public static void everyConstructorMatchesOtherLayouts(Trial t) {
        int number = 0;
        for (TypeModel m : models(t)) {
            TypeModel one = m.spread(1), all = m.spread(3);
            round(t, m, 3, all, 1, number % 2 == 0, number++, "3 " + m.type() + " into one struct of all");
            round(t, m, 3, one, 4, number % 2 == 0, number++, "3 " + m.type() + " into 4 structs");
            if (!m.overlaps(3)) round(t, all, 1, m, 3, number % 2 == 0, number++, "a struct into 3 " + m.type());
        }
    }

    /// The run determines the seed; see ContractTest.
    @Contract(slow = true)
    public static void randomNestedTypes(Trial t) {
        for (int i = 0; i < 60; i++) {
            SplittableRandom r = t.random().split();
            TypeModel m = TypeModel.random(r, 4, 30);
            int count = r.nextInt(1, 5);
            String label = "type " + i + ": " + count + " " + m.type();
            Check.same(m.size(), m.type().sizeBytes(), "size of " + label);
            Check.same(m.lower(), m.type().lowerBound(), "lower bound of " + label);
            Check.same(m.extent(), m.type().extent(), "extent of " + label);
            Check.same(m.trueLower(), m.type().trueLowerBound(), "true lower bound of " + label);
            Check.same(m.trueUpper() - m.trueLower(), m.type().trueExtent(), "true extent of " + label);
            if (m.map().isEmpty()) continue;
            round(t, m, count, m.spread(count), 1, r.nextBoolean(), i, label);
            if (!m.overlaps(count)) round(t, m.spread(count), 1, m, count, r.nextBoolean(), i, "into " + label);
        }
    }

    /// Messages of each length (and so on each transfer path), from and into every kind of memory, to other
    /// ranks and to the same rank.
    @Contract(slow = true)
    public static void columnsOfEveryLength(Trial t) {
        for (int rows : new int[] {1, 9, 1000, 40_000}) {
            Datatype column = Datatype.INT.vector(rows, 1, 3);
            for (int to : new int[] {t.right(), t.rank()}) {
                int from = to == t.rank() ? to : t.left();
                for (boolean shared : new boolean[] {false, true}) {
                    for (boolean plainIn : new boolean[] {false, true}) {
                        column(t, column, rows, to, from, shared, plainIn);
                    }
                }
            }
        }
    }

    private static void column(Trial t, Datatype column, int rows, int to, int from, boolean shared, boolean plainIn) {
        int[] a = new int[3 * rows];
        for (int i = 0; i < a.length; i++) a[i] = 1000 * t.rank() + i;
        Buf out = buf(a, 1, 1, column);
        if (shared) {
            MemorySegment memory = t.alloc(0, 4L * a.length);
            memory.copyFrom(MemorySegment.ofArray(a));
            out = plainIn ? buf(memory, 4, 1, column) : buf(memory.asSlice(0, 4L * rows), Datatype.INT);
        }
        boolean plainOut = shared && !plainIn;
        int[] b = new int[3 * rows];
        Buf in = plainIn ? buf(b, 0, rows) : buf(b, 2, 1, column);
        Request receive = t.world().irecv(in, from, 4);
        Request send = t.world().isend(out, to, 4);
        Status s = receive.await();
        send.await();
        Check.same(plainIn ? rows : 1, s.count(), "count of " + column);
        for (int i = 0; i < b.length; i++) {
            int k = plainIn ? i : (i - 2) / 3;
            boolean meant = plainIn ? i < rows : i >= 2 && (i - 2) % 3 == 0;
            int expected = meant ? 1000 * from + (plainOut ? k : 1 + 3 * k) : 0;
            if (expected != b[i]) Check.same(expected, b[i], "element " + i + " of " + in);
        }
        t.world().barrier();
    }

    @Contract
    public static void shorterMessageReturnsTheElementCount(Trial t) {
        Datatype pair = Datatype.struct(new int[] {1, 1}, new long[] {0, 8}, Datatype.LONG, Datatype.INT);
        long[] in = new long[6];
        MemorySegment memory = MemorySegment.ofArray(in);
        Request send = t.world().isend(buf(new long[] {5 + t.rank()}), t.right(), 1);
        Status s = t.world().recv(buf(memory, pair), t.left(), 1);
        send.await();
        Check.same(5 + t.left(), in[0], "the first element");
        Check.same(0, in[1] + in[2], "the rest");
        Check.rejects(
                ErrorClass.ERR_TYPE,
                "Status.count: 8 bytes are not a whole number of " + pair + ", of 12 bytes each; elements(type) counts"
                        + " basic elements, sizeBytes() bytes",
                s::count);
        Check.same(1, s.elements(pair), "elements of a part");
        Check.same(8, s.sizeBytes(), "length");
        Check.same(1, s.count(Datatype.LONG), "count of a different type");
        Datatype turned = Datatype.struct(new int[] {1, 1}, new long[] {0, 8}, Datatype.INT, Datatype.LONG);
        Check.rejects(
                ErrorClass.ERR_TYPE,
                "Status.elements: 8 bytes end within a basic element of " + turned + "; sizeBytes() counts bytes",
                () -> s.elements(turned));
    }

    @Contract
    public static void sendrecvReplaceAndMatchedProbe(Trial t) {
        Datatype column = Datatype.DOUBLE.vector(ROWS, 1, COLUMNS);
        double[] a = new double[ROWS * COLUMNS];
        for (int i = 0; i < ROWS; i++) a[i * COLUMNS + 2] = t.rank() + i;
        t.world().sendrecvReplace(buf(a, 2, 1, column), t.right(), t.left());
        expectColumn(a, 2, t.left());
        t.world().isendrecvReplace(buf(a, 2, 1, column), t.left(), t.right()).await();
        expectColumn(a, 2, t.rank());
        double[] c = new double[ROWS * COLUMNS];
        t.world()
                .isendrecv(buf(a, 2, 1, column), t.right(), 1, buf(c, 5, 1, column), t.left(), 1)
                .await();
        expectColumn(c, 5, t.left());
        t.world().sendrecvReplace(buf(a, 2, 1, column), t.right(), t.left());
        Request send = t.world().isend(buf(a, 2, 1, column), t.right(), 9);
        Message m = t.world().mprobe(t.left(), 9);
        Check.same(1, m.status().count(column), "count of a probed column");
        Check.same(ROWS, m.status().elements(column), "elements of a probed column");
        double[] b = new double[ROWS * COLUMNS];
        m.recv(buf(b, 4, 1, column));
        send.await();
        expectColumn(b, 4, (t.left() + t.size() - 1) % t.size());
    }

    private static void expectColumn(double[] a, int column, int first) {
        for (int i = 0; i < a.length; i++) {
            double expected = i % COLUMNS == column ? first + i / COLUMNS : 0;
            Check.same(expected, a[i], "element " + i + " of a matrix with column " + column);
        }
    }

    /// Each start sends the current content.
    @Contract
    public static void persistentMessagesPackCurrentData(Trial t) {
        Datatype every2nd = Datatype.INT.vector(500, 1, 2);
        int[] a = new int[1000], b = new int[1000];
        try (PersistentRequest send = t.world().sendInit(buf(a, 0, 1, every2nd), t.right(), 2);
                PersistentRequest receive = t.world().recvInit(buf(b, 1, 1, every2nd), t.left(), 2)) {
            for (int round = 1; round <= 3; round++) {
                for (int i = 0; i < a.length; i++) a[i] = round * (t.rank() + i);
                receive.start();
                send.start();
                receive.await();
                send.await();
                for (int i = 0; i < b.length; i++) {
                    Check.same(i % 2 == 0 ? 0 : round * (t.left() + i - 1), b[i], "element ", i);
                }
            }
        }
    }

    @Contract(minRanks = 2)
    public static void tooLongForADerivedBuffer(Trial t) {
        Datatype every2nd = Datatype.INT.vector(5, 1, 2);
        for (int count : new int[] {11, 70_000}) {
            int[] b = new int[30];
            Request send = t.world().isend(buf(new int[count]), t.right(), 7);
            MpiException e =
                    Check.fails(ErrorClass.ERR_TRUNCATE, () -> t.world().recv(buf(b, 0, 1, every2nd), t.left(), 7));
            if (t.onShm()) {
                Check.same(
                        "recv: message of " + count + " INT (" + 4 * count + " bytes) from rank " + t.left()
                                + ", tag 7, does not fit into the buffer of 5 INT (20 bytes) (" + t.where() + ")",
                        e.getMessage(),
                        "text");
            }
            send.await();
            t.world().barrier();
        }
    }

    @Contract(engine = "shm")
    public static void receiveWithDifferentElements(Trial t) {
        Datatype pair = Datatype.struct(new int[] {1, 1}, new long[] {0, 8}, Datatype.LONG, Datatype.INT);
        Datatype other = Datatype.struct(new int[] {1, 2}, new long[] {0, 4}, Datatype.INT, Datatype.INT)
                .contiguous(1);
        Datatype turned = Datatype.struct(new int[] {1, 1}, new long[] {0, 8}, Datatype.INT, Datatype.LONG);
        byte[] a = new byte[64];
        String from = "recv: message from rank " + t.left() + ", tag 2, holds ";
        wrongType(
                t,
                buf(a, 0, 1, pair),
                buf(a, 0, 3, other),
                from + "12 bytes of several types, the buffer is of INT," + " as " + other);
        wrongType(
                t,
                buf(a, 0, 2, pair),
                buf(a, 0, 2, turned),
                from + "24 bytes of several types, the buffer is of " + turned);
        wrongType(t, buf(new int[3]), buf(a, 0, 3, pair), from + "3 INT, the buffer is of " + pair);
        wrongType(t, buf(a, 0, 1, pair), buf(a, 0, 12), from + "12 bytes of several types, the buffer is of BYTE");
    }

    private static void wrongType(Trial t, Buf out, Buf in, String text) {
        Request send = t.world().isend(out, t.right(), 2);
        MpiException e = Check.fails(ErrorClass.ERR_TYPE, () -> t.world().recv(in, t.left(), 2));
        Check.same(text + " (" + t.where() + ")", e.getMessage(), "text");
        send.await();
        t.world().barrier();
    }

    @Contract
    public static void receiveRejectsOverlappingElements(Trial t) {
        Datatype twice = Datatype.INT.vector(3, 2, 1);
        String text = ": the receive buffer's type contains bytes twice; receive with a type without overlap ("
                + t.where() + ")";
        int[] a = {1, 2, 3, 4};
        Buf x = buf(a, 0, 1, twice);
        Check.rejects(ErrorClass.ERR_TYPE, "recv" + text, () -> t.world().recv(x, 0));
        Check.rejects(ErrorClass.ERR_TYPE, "irecv" + text, () -> t.world().irecv(x, 0));
        Check.rejects(ErrorClass.ERR_TYPE, "allgather" + text, () -> t.world().allgather(buf(a), x));
        Op none = Op.of("none", twice, (in, inout, count) -> {});
        Check.rejects(
                ErrorClass.ERR_TYPE,
                "reduceLocal: the receive buffer's type contains bytes twice; receive with a type without overlap",
                () -> none.reduceLocal(x, x));
        int[] b = new int[6];
        Request send = t.world().isend(x, t.right(), 1);
        t.world().recv(buf(b), t.left(), 1);
        send.await();
        Check.same("[1, 2, 2, 3, 3, 4]", Arrays.toString(b), "overlapping elements");
    }
}
