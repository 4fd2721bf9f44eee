package org.tutti.conformance.contract.message;

import static org.tutti.mpi.Buf.buf;

import java.util.Arrays;
import org.tutti.conformance.trial.Box;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Row;
import org.tutti.conformance.trial.Sending;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Request;
import org.tutti.mpi.Requests;
import org.tutti.mpi.Status;

/// Standard, synchronous, buffered and ready mode. MPI 4.1, sections 3.4, 3.6, 3.7.2 and 3.9.
public final class ModesContract {
    private ModesContract() {}

    @Contract
    public static void everyWayToSendDelivers(Trial t) {
        int number = 0;
        for (Row row : Row.of(t)) {
            // each mode is tested with some of the rows; NonblockingContract tests all rows
            if (++number % 3 != 0) continue;
            Sending way = Sending.of(number / 3);
            Box out = row.sendBox(t);
            Box.Values expected = i -> row.value(t.left(), i);
            Box in = row.recvBox(t, row.count(), expected);
            Request receive = t.world().irecv(in.buf(), t.left(), 3);
            t.world().barrier(); // ready mode requires a posted receive
            Request send = way.begin(t.world(), out.buf(), t.right(), 3);
            Status s = receive.await();
            if (send != null) send.await();
            in.expect(expected, way + ", " + row + " from rank " + t.left());
            Check.same(row.count(), s.count(), "count of " + way + ", " + row);
            Check.same(t.left(), s.source(), "source of " + way + ", " + row);
        }
    }

    /// Sends of all lengths are tested before a receive is posted, including sends to the same rank.
    @Contract
    public static void synchronousIsNotCompleteBeforeItIsReceived(Trial t) {
        for (int count : new int[] {0, 1, 9, 500, 4090, 5000, 100_000}) {
            long[] out = new long[count];
            Arrays.fill(out, t.rank());
            Request send = t.world().issend(buf(out), t.right(), 1);
            Request persistent = Sending.SSEND_INIT.begin(t.world(), buf(out), t.right(), 2);
            t.world().barrier();
            for (int i = 0; i < 20; i++) {
                Check.that(!send.test(), "issend of " + count + " LONG is complete before it is received");
                Check.that(
                        persistent != null && !persistent.test(),
                        "ssendInit of " + count + " LONG is complete before it is received");
            }
            t.world().barrier();
            long[] in = new long[count];
            for (int tag = 1; tag <= 2; tag++) {
                Check.same(count, t.world().recv(buf(in), t.left(), tag).count(), "count");
                if (count > 0) Check.same(t.left(), in[count - 1], "value");
            }
            send.await();
            if (persistent != null) persistent.await();
        }
    }

    @Contract
    public static void synchronousIntoAPostedReceive(Trial t) {
        for (int count : new int[] {0, 1, 3000, 70_000}) {
            int[] in = new int[count];
            Request receive = t.world().irecv(buf(in), t.left(), 4);
            int[] out = new int[count];
            Arrays.fill(out, t.rank() + 1);
            t.world().ssend(buf(out), t.right(), 4);
            receive.await();
            if (count > 0) Check.same(t.left() + 1, in[count - 1], "value");
        }
    }

    /// Every rank sends more data than any engine buffers, and overwrites it, before any rank receives.
    @Contract
    public static void bufferedSendCompletesWithoutAReceive(Trial t) {
        int many = 60;
        int[] out = new int[60_000];
        for (int i = 0; i < many; i++) {
            Arrays.fill(out, t.rank() * many + i);
            org.tutti.mpi.Buf part = buf(out, 0, i * 1000);
            Request r = (i % 3 == 0 ? Sending.BSEND : i % 3 == 1 ? Sending.IBSEND : Sending.BSEND_INIT)
                    .begin(t.world(), part, t.right(), i % 7);
            if (r != null) Check.that(r.test(), "a buffered send is not complete");
        }
        t.world().barrier();
        int[] in = new int[60_000];
        for (int tag = 0; tag < 7; tag++) {
            for (int i = tag; i < many; i += 7) {
                Status s = t.world().recv(buf(in), t.left(), tag);
                Check.same(i * 1000L, s.count(), "count of message " + i);
                int value = i == 0 ? 0 : t.left() * many + i;
                for (int k = 0; k < i * 1000; k += 997) Check.same(value, in[k], "value in message " + i);
            }
        }
        t.mpi().flushBuffers();
        t.mpi().flushBuffers(); // no message is pending
    }

    @Contract
    public static void flushWaitsForBufferedMessages(Trial t) {
        for (int round = 0; round < 5; round++) {
            int[][] in = new int[8][50_000];
            try (Requests r = t.mpi().requests()) {
                for (int i = 0; i < in.length; i++) r.add(t.world().irecv(buf(in[i]), t.left(), i));
                for (int i = 0; i < in.length; i++) {
                    int[] out = new int[50_000];
                    out[49_999] = t.rank() + i;
                    t.world().bsend(buf(out), t.right(), i);
                }
                t.mpi().flushBuffers();
                r.awaitAll();
            }
            for (int i = 0; i < in.length; i++) Check.same(t.left() + i, in[i][49_999], "value");
        }
    }

    /// Messages of different modes do not overtake each other.
    @Contract
    public static void modesKeepOneOrder(Trial t) {
        Sending[] ways = {
            Sending.ISEND, Sending.ISSEND, Sending.BSEND, Sending.ISSEND, Sending.IBSEND, Sending.SEND_INIT
        };
        int[] counts = {1, 20_000, 3, 0, 100};
        int many = 60;
        try (Requests r = t.mpi().requests()) {
            for (int i = 0; i < many; i++) {
                int[] out = new int[1 + counts[i % counts.length]];
                out[0] = i;
                Request send = ways[i % ways.length].begin(t.world(), buf(out), t.right(), 5);
                if (send != null) r.add(send);
            }
            int[] in = new int[30_000];
            for (int i = 0; i < many; i++) {
                Status s = t.world().recv(buf(in), i % 2 == 0 ? t.left() : Comm.ANY_SOURCE, 5);
                Check.same(1 + counts[i % counts.length], s.count(), "count of message " + i);
                Check.same(i, in[0], "number of message " + i);
            }
            r.awaitAll();
        }
        t.mpi().flushBuffers();
    }
}
