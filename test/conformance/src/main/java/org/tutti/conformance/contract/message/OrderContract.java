package org.tutti.conformance.contract.message;

import static org.tutti.mpi.Buf.buf;

import java.util.SplittableRandom;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Request;
import org.tutti.mpi.Status;

/// Messages do not overtake. MPI 4.1, section 3.5.
public final class OrderContract {
    private static final int LARGE = 30_000;

    private OrderContract() {}

    /// Short and long messages of one sender with one tag are received in the order sent.
    @Contract(minRanks = 2)
    public static void shortAndLongMessagesOfOneTag(Trial t) {
        int messages = 400;
        SplittableRandom random = t.random();
        int[] lengths = new int[messages];
        for (int i = 0; i < messages; i++) lengths[i] = random.nextInt(20) == 0 ? LARGE : 1 + random.nextInt(50);
        try (var requests = t.mpi().requests()) {
            for (int i = 0; i < messages; i++) {
                long[] out = new long[lengths[i]];
                out[0] = i;
                out[out.length - 1] = i;
                requests.add(t.world().isend(buf(out), t.right(), 4));
            }
            long[] in = new long[LARGE];
            for (int i = 0; i < messages; i++) {
                Status s = i % 2 == 0
                        ? t.world().recv(buf(in), t.left(), 4)
                        : t.world().recv(buf(in), t.left(), Comm.ANY_TAG);
                Check.same(lengths[i], s.count(), "length of message " + i);
                Check.same(i, in[0], "message " + i + " from the left");
                Check.same(i, in[lengths[i] - 1], "end of message " + i);
            }
            requests.awaitAll();
        }
    }

    /// Blocking sends and receives run at the same time.
    @Contract(minRanks = 2)
    public static void aStreamOfShortMessages(Trial t) {
        int messages = 2000;
        int[] x = new int[1];
        for (int sender = 0; sender < 2; sender++) {
            if (t.rank() == sender) {
                for (int i = 0; i < messages; i++) {
                    x[0] = i;
                    t.world().send(buf(x), 1 - sender, 0);
                }
            } else if (t.rank() == 1 - sender) {
                for (int i = 0; i < messages; i++) {
                    t.world().recv(buf(x), sender, 0);
                    Check.same(i, x[0], "message of the stream");
                }
            }
        }
    }

    @Contract(minRanks = 2)
    public static void twoTagsInReverseOrder(Trial t) {
        for (int first : new int[] {1, LARGE}) {
            for (int second : new int[] {1, LARGE}) {
                long[] a = new long[first];
                long[] b = new long[second];
                a[0] = 1;
                b[0] = 2;
                try (var requests = t.mpi().requests()) {
                    requests.add(t.world().isend(buf(a), t.right(), 1));
                    requests.add(t.world().isend(buf(b), t.right(), 2));
                    long[] in = new long[LARGE];
                    Status s = t.world().recv(buf(in), t.left(), 2);
                    Check.same(second, s.count(), "count with tag 2");
                    Check.same(2, in[0], "tag 2");
                    s = t.world().recv(buf(in), t.left(), 1);
                    Check.same(first, s.count(), "count with tag 1");
                    Check.same(1, in[0], "tag 1");
                    requests.awaitAll();
                }
            }
        }
    }

    /// A message matches the first posted receive that fits, with or without a wildcard.
    @Contract(minRanks = 2)
    public static void postedReceivesWithAndWithoutWildcards(Trial t) {
        int[][] patterns = {
            {Comm.ANY_SOURCE, 5},
            {t.left(), 5},
            {Comm.ANY_SOURCE, Comm.ANY_TAG},
            {t.left(), Comm.ANY_TAG},
            {t.left(), 6},
            {Comm.ANY_SOURCE, 5},
            {t.left(), 5}
        };
        int[] tags = {5, 5, 6, 6, 6, 5, 5};
        int[][] in = new int[patterns.length][1];
        Request[] receives = new Request[patterns.length];
        for (int i = 0; i < patterns.length; i++) {
            receives[i] = t.world().irecv(buf(in[i]), patterns[i][0], patterns[i][1]);
        }
        t.world().barrier();
        for (int i = 0; i < tags.length; i++) t.world().send(buf(new int[] {i}), t.right(), tags[i]);
        for (int i = receives.length - 1; i >= 0; i--) {
            Status s = receives[i].await();
            Check.same(i, in[i][0], "message of receive " + i);
            Check.same(tags[i], s.tag(), "tag of receive " + i);
            Check.same(t.left(), s.source(), "source of receive " + i);
        }
    }

    /// If several messages have already arrived, receives match these messages in the order of arrival.
    @Contract(minRanks = 2)
    public static void unexpectedMessagesWithAndWithoutWildcards(Trial t) {
        int[] tags = {5, 6, 5, 7, 6, 5};
        try (var requests = t.mpi().requests()) {
            for (int i = 0; i < tags.length; i++) {
                requests.add(t.world().isend(buf(new int[] {i}), t.right(), tags[i]));
            }
            t.world().barrier();
            int[][] wanted = {{6, 1}, {Comm.ANY_TAG, 0}, {5, 2}, {Comm.ANY_TAG, 3}, {5, 5}, {Comm.ANY_TAG, 4}};
            int[] in = new int[1];
            for (int[] w : wanted) {
                Status s = t.world().recv(buf(in), t.left(), w[0]);
                Check.same(w[1], in[0], "which message a receive of tag " + w[0] + " took");
                Check.same(tags[w[1]], s.tag(), "tag of the message");
            }
            requests.awaitAll();
        }
    }

    /// Thousands of unexpected messages are received from the last to the first.
    @Contract(minRanks = 2)
    public static void manyUnexpectedMessages(Trial t) {
        int each = 4000 / t.size();
        Comm world = t.world();
        if (t.rank() != 0) {
            try (var requests = t.mpi().requests()) {
                for (int i = 0; i < each; i++) {
                    requests.add(world.isend(buf(new int[] {t.rank(), i}), 0, i));
                }
                world.barrier();
                requests.awaitAll();
            }
            return;
        }
        world.barrier();
        int[] in = new int[2];
        for (int i = each - 1; i >= 0; i--) {
            for (int source = t.size() - 1; source > 0; source--) {
                world.recv(buf(in), source, i);
                Check.same(source, in[0], "sender");
                Check.same(i, in[1], "number");
            }
        }
    }
}
