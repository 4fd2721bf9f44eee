package org.tutti.conformance.contract.message;

import static org.tutti.mpi.Buf.buf;

import org.jspecify.annotations.Nullable;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Sending;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Message;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Request;
import org.tutti.mpi.Status;

/// Any source, any tag, and `PROC_NULL`, in every operation that accepts these values. MPI 4.1, sections 3.2.4
/// and 3.11.
public final class WildcardContract {
    private WildcardContract() {}

    /// An operation that receives a message.
    private interface Receiving {
        Status receive(Comm comm, int[] in, int source, int tag);
    }

    private static final Receiving[] RECEIVING = {
        (c, in, source, tag) -> c.recv(buf(in), source, tag),
        (c, in, source, tag) -> c.irecv(buf(in), source, tag).await(),
        (c, in, source, tag) -> {
            try (PersistentRequest r = c.recvInit(buf(in), source, tag)) {
                r.start();
                return r.await();
            }
        },
        (c, in, source, tag) -> c.sendrecv(buf(in), Comm.PROC_NULL, 0, buf(in), source, tag),
        (c, in, source, tag) -> c.sendrecvReplace(buf(in), Comm.PROC_NULL, 0, source, tag),
        (c, in, source, tag) -> {
            Status s = c.probe(source, tag);
            Status got = c.recv(buf(in), s.source(), s.source() == Comm.PROC_NULL ? 0 : s.tag());
            Check.same(s.source(), got.source(), "source of the receive after a probe");
            return got;
        },
        (c, in, source, tag) -> {
            Status s;
            do s = c.iprobe(source, tag);
            while (s == null);
            return c.recv(buf(in), s.source(), s.source() == Comm.PROC_NULL ? 0 : s.tag());
        },
        (c, in, source, tag) -> c.mprobe(source, tag).recv(buf(in)),
        (c, in, source, tag) -> {
            Message m;
            do m = c.improbe(source, tag);
            while (m == null);
            return m.irecv(buf(in)).await();
        },
    };

    @Contract
    public static void everyReceiveAcceptsWildcards(Trial t) {
        int[][] wildcards = {{-1, 20}, {0, Comm.ANY_TAG}, {-1, Comm.ANY_TAG}, {0, 20}};
        for (int r = 0; r < RECEIVING.length; r++) {
            for (int[] wildcard : wildcards) {
                int source = wildcard[0] < 0 ? Comm.ANY_SOURCE : t.left();
                int[] in = new int[4];
                Request send = t.world().isend(buf(new int[] {r, t.rank()}), t.right(), 20);
                Status s = RECEIVING[r].receive(t.world(), in, source, wildcard[1]);
                String label = "receive " + r + " with source=" + source + ", tag=" + wildcard[1];
                Check.same(t.left(), s.source(), "source of " + label);
                Check.same(20, s.tag(), "tag of " + label);
                Check.same(2, s.count(), "count of " + label);
                Check.same(r, in[0], "first value of " + label);
                Check.same(t.left(), in[1], "second value of " + label);
                send.await();
            }
        }
    }

    /// Each rank receives exactly one message from every rank, in any order.
    @Contract
    public static void allRanksToAllRanks(Trial t) {
        for (int r = 0; r < RECEIVING.length; r++) {
            for (int to = 0; to < t.size(); to++) t.world().send(buf(new int[] {t.rank(), r}), to, t.rank());
            boolean[] seen = new boolean[t.size()];
            for (int i = 0; i < t.size(); i++) {
                int[] in = new int[2];
                Status s = RECEIVING[r].receive(t.world(), in, Comm.ANY_SOURCE, Comm.ANY_TAG);
                Check.that(!seen[s.source()], "two messages of rank " + s.source() + " by receive " + r);
                seen[s.source()] = true;
                Check.same(s.source(), s.tag(), "tag");
                Check.same(s.source(), in[0], "sender");
                Check.same(r, in[1], "round");
            }
            t.world().barrier();
        }
    }

    @Contract
    public static void receivesFromProcNullComplete(Trial t) {
        for (int r = 0; r < RECEIVING.length; r++) {
            int[] in = {3, 4};
            for (int tag : new int[] {0, 5, Comm.ANY_TAG}) {
                Status s = RECEIVING[r].receive(t.world(), in, Comm.PROC_NULL, tag);
                Check.same(Comm.PROC_NULL, s.source(), "source of receive " + r);
                Check.same(Comm.ANY_TAG, s.tag(), "tag of receive " + r);
                Check.same(0, s.count(), "count of receive " + r);
                Check.that(in[0] == 3 && in[1] == 4, "receive " + r + " from PROC_NULL has changed the buffer");
            }
        }
    }

    @Contract
    public static void sendsToProcNullComplete(Trial t) {
        for (Sending way : Sending.values()) {
            @Nullable Request r = way.begin(t.world(), buf(new int[100_000]), Comm.PROC_NULL, 4);
            if (r != null) Check.that(r.test(), way + " to PROC_NULL is not complete");
            if (r instanceof PersistentRequest p) {
                p.start();
                p.await();
                p.close();
            }
        }
        t.mpi().flushBuffers();
    }

    /// A matched probe of `PROC_NULL` returns a message that can be received.
    @Contract
    public static void matchedProbesOfProcNull(Trial t) {
        for (int i = 0; i < 3; i++) {
            Message m = t.world().mprobe(Comm.PROC_NULL, i);
            Message n = t.world().improbe(Comm.PROC_NULL, Comm.ANY_TAG);
            Check.that(n != null, "improbe(PROC_NULL) returns null");
            Check.same(Comm.PROC_NULL, m.status().source(), "source");
            Check.same(0, m.status().sizeBytes(), "sizeBytes");
            Check.same(Comm.PROC_NULL, m.recv(buf(new int[1])).source(), "source of the receive");
            if (n != null)
                Check.same(Comm.PROC_NULL, n.irecv(buf(new int[1])).await().source(), "source of an irecv");
        }
    }
}
