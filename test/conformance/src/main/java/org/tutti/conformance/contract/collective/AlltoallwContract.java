package org.tutti.conformance.contract.collective;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Form;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Request;

/// MPI 4.1, section 6.8, `MPI_Alltoallw`.
public final class AlltoallwContract {
    private AlltoallwContract() {}

    /// The data sent from one rank to a second rank. The two ranks determine type, length and memory.
    private static final class Part {
        private final int kind;
        private final int count;
        private final Object data;

        /// Kind and length depend only on `from + to` and `scale`, so that two ranks can exchange parts in
        /// place.
        Part(int from, int to, int scale) {
            kind = (from + to) % 6;
            count = kind == 5 ? 0 : scale * ((from + to) % 4) + (from + to) % 3;
            data = switch (kind) {
                case 0 -> new int[count];
                case 1 -> Arena.ofAuto().allocate(8L * count, 8);
                case 2 -> new byte[count];
                case 3 -> new boolean[count];
                case 4 -> new double[][] {new double[count / 2], new double[count - count / 2]};
                default -> Buf.NONE;
            };
        }

        Buf buf() {
            return switch (data) {
                case int[] a -> Buf.buf(a);
                case MemorySegment s -> Buf.buf(s, Datatype.LONG);
                case byte[] a -> Buf.buf(a);
                case boolean[] a -> Buf.buf(a);
                case double[][] a -> Buf.buf(a);
                default -> Buf.NONE;
            };
        }

        private static int value(int from, int to, int i, int salt) {
            return 31 * from + 7 * to + i + salt;
        }

        void fill(int from, int to, int salt) {
            for (int i = 0; i < count; i++) {
                int v = value(from, to, i, salt);
                switch (data) {
                    case int[] a -> a[i] = v;
                    case MemorySegment s -> s.setAtIndex(ValueLayout.JAVA_LONG, i, v);
                    case byte[] a -> a[i] = (byte) v;
                    case boolean[] a -> a[i] = v % 2 != 0;
                    case double[][] a -> a[i < a[0].length ? 0 : 1][i < a[0].length ? i : i - a[0].length] = v;
                    default -> throw new IllegalStateException("memory without elements");
                }
            }
        }

        void expect(int from, int to, int salt) {
            for (int i = 0; i < count; i++) {
                int v = value(from, to, i, salt);
                Object actual = switch (data) {
                    case int[] a -> a[i];
                    case MemorySegment s -> (int) s.getAtIndex(ValueLayout.JAVA_LONG, i);
                    case byte[] a -> a[i] == (byte) v ? v : a[i];
                    case boolean[] a -> a[i] == (v % 2 != 0) ? v : -1;
                    case double[][] a -> (int) a[i < a[0].length ? 0 : 1][i < a[0].length ? i : i - a[0].length];
                    default -> -1;
                };
                if (actual.equals(v)) continue;
                Check.same(v, actual, "element " + i + " from rank " + from + " to rank " + to);
            }
        }
    }

    private static Part[] parts(Trial t, int scale) {
        Part[] parts = new Part[t.size()];
        for (int r = 0; r < parts.length; r++) parts[r] = new Part(t.rank(), r, scale);
        return parts;
    }

    private static Buf[] bufs(Part[] parts) {
        return Arrays.stream(parts).map(Part::buf).toArray(Buf[]::new);
    }

    private static void fill(Trial t, Part[] parts, int salt) {
        for (int r = 0; r < parts.length; r++) parts[r].fill(t.rank(), r, salt);
    }

    private static void expect(Trial t, Part[] parts, int salt) {
        for (int r = 0; r < parts.length; r++) parts[r].expect(r, t.rank(), salt);
    }

    @Contract
    public static void eachRankHasATypeInEveryForm(Trial t) {
        Comm w = t.world();
        for (Form form : Form.values()) {
            for (int scale : new int[] {0, 1, 700, 9_000}) {
                Part[] send = parts(t, scale);
                Part[] recv = parts(t, scale);
                fill(t, send, scale);
                Buf[] from = bufs(send), to = bufs(recv);
                form.call(() -> w.alltoallw(from, to), () -> w.ialltoallw(from, to), () -> w.alltoallwInit(from, to));
                expect(t, recv, scale);
            }
        }
    }

    @Contract
    public static void pairsExchangePartsInPlace(Trial t) {
        Comm w = t.world();
        for (Form form : Form.values()) {
            for (int scale : new int[] {1, 700, form == Form.BLOCKING ? 40_000 : 3_000}) {
                Part[] parts = parts(t, scale);
                fill(t, parts, scale);
                Buf[] all = bufs(parts);
                form.call(() -> w.alltoallw(all), () -> w.ialltoallw(all), () -> w.alltoallwInit(all));
                expect(t, parts, scale);
            }
        }
    }

    @Contract
    public static void persistentCallSendsCurrentData(Trial t) {
        Part[] send = parts(t, 30);
        Part[] recv = parts(t, 30);
        Part[] place = parts(t, 20);
        try (PersistentRequest two = t.world().alltoallwInit(bufs(send), bufs(recv));
                PersistentRequest one = t.world().alltoallwInit(bufs(place))) {
            for (int i = 0; i < 5; i++) {
                fill(t, send, i);
                fill(t, place, 3 * i);
                two.start();
                one.start();
                one.await();
                two.await();
                expect(t, recv, i);
                expect(t, place, 3 * i);
            }
        }
    }

    @Contract
    public static void concurrentCallsDoNotMix(Trial t) {
        List<Part[]> received = new ArrayList<>();
        List<Request> requests = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            Part[] send = parts(t, i);
            Part[] recv = parts(t, i);
            fill(t, send, i);
            received.add(recv);
            requests.add(t.world().ialltoallw(bufs(send), bufs(recv)));
            if (i % 10 == 9) t.world().barrier();
        }
        for (int i = 29; i >= 0; i--) requests.get(i).await();
        for (int i = 0; i < 30; i++) expect(t, received.get(i), i);
    }

    /// Rank 0 waits for a message, which is sent only after rank 0's part of the call is complete.
    @Contract(minRanks = 2)
    public static void progressesDuringAnotherWait(Trial t) {
        Part[] send = parts(t, 20_000);
        Part[] recv = parts(t, 20_000);
        fill(t, send, 0);
        Request call = t.world().ialltoallw(bufs(send), bufs(recv));
        int[] word = {t.rank()};
        if (t.rank() == 0) {
            for (int r = 1; r < t.size(); r++) t.world().recv(buf(word), r, 5);
            call.await();
        } else {
            call.await();
            t.world().send(buf(word), 0, 5);
        }
        expect(t, recv, 0);
    }

    @Contract
    public static void wrongArguments(Trial t) {
        Comm w = t.world();
        int n = t.size();
        int me = t.rank();
        String where = " (" + t.where() + ")";
        Buf[] some = new Buf[n];
        Arrays.fill(some, Buf.NONE);
        Check.rejects(
                ErrorClass.ERR_COUNT,
                "alltoallw: recv has " + (n + 1) + " buffers for " + n + " ranks" + where,
                () -> w.alltoallw(some, new Buf[n + 1]));
        Check.rejects(
                ErrorClass.ERR_COUNT,
                "ialltoallw: send has " + (n - 1) + " buffers for " + n + " ranks" + where,
                () -> w.ialltoallw(new Buf[n - 1], some));
        Buf[] hole = some.clone();
        hole[n - 1] = Buf.IN_PLACE;
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "alltoallwInit: send[" + (n - 1) + "] is IN_PLACE; pass a buffer, or pass a single array" + where,
                () -> w.alltoallwInit(hole, some));
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "alltoallw: recv[" + (n - 1) + "] is IN_PLACE; pass a buffer" + where,
                () -> w.alltoallw(hole));
        Buf[] readOnly = some.clone();
        readOnly[0] = buf(MemorySegment.ofArray(new int[1]).asReadOnly());
        Check.rejects(ErrorClass.ERR_BUFFER, "alltoallw: recv[0] is read-only" + where, () -> w.alltoallw(readOnly));
        Buf[] blocks = some.clone();
        blocks[0] = buf(new int[2]).blocks(1, 1);
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "alltoallw: recv[0] is 2 INT in blocks [1, 1]; pass a buffer without blocks" + where,
                () -> w.alltoallw(some, blocks));
        Buf[] mine = some.clone(), other = some.clone();
        mine[me] = buf(new int[2]);
        other[me] = buf(new float[2]);
        Check.rejects(
                ErrorClass.ERR_TYPE,
                "alltoallw: this rank's part for itself is 2 INT in send but 2 FLOAT in recv" + where,
                () -> w.alltoallw(mine, other));
        other[me] = buf(new int[3]);
        Check.rejects(
                ErrorClass.ERR_COUNT,
                "alltoallw: this rank's part for itself is 2 INT in send but 3 INT in recv" + where,
                () -> w.alltoallw(mine, other));
    }
}
