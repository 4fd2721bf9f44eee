package org.tutti.conformance.contract.intercomm;

import static org.tutti.mpi.Buf.buf;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Sending;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Intercomm;
import org.tutti.mpi.Message;
import org.tutti.mpi.PartitionedReceive;
import org.tutti.mpi.PartitionedSend;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Request;
import org.tutti.mpi.Status;

/// Messages between two groups: destinations and sources are ranks of the remote group. MPI 4.1, section 7.6.
public final class InterMessageContract {
    private InterMessageContract() {}

    /// Messages in every mode, from every rank of a group to every rank of the remote group.
    @Contract(minRanks = 2)
    public static void everyModeNamesRemoteRanks(Trial t) throws Exception {
        TwoGroups.each(t, g -> {
            Intercomm both = g.both();
            for (Sending way : Sending.values()) {
                int[] in = new int[g.remoteSize()];
                Request[] receives = new Request[g.remoteSize()];
                for (int r = 0; r < receives.length; r++) receives[r] = both.irecv(buf(in, r, 1), r, 5);
                // a ready send requires a posted receive
                both.barrier();
                for (int r = 0; r < receives.length; r++) {
                    Request sent = way.begin(both, buf(new int[] {t.rank()}), r, 5);
                    if (sent != null) sent.await();
                }
                for (int r = 0; r < receives.length; r++) {
                    Status s = receives[r].await();
                    Check.same(r, s.source(), way + ": source");
                    Check.same(5, s.tag(), way + ": tag");
                    Check.same(g.theirs()[r], in[r], way + ": world rank of remote rank " + r);
                }
            }
        });
    }

    @Contract(minRanks = 2)
    public static void wildcardsAndProbesReturnRemoteRanks(Trial t) throws Exception {
        TwoGroups.each(t, g -> {
            Intercomm both = g.both();
            Request[] sends = new Request[3 * g.remoteSize()];
            for (int i = 0; i < sends.length; i++) {
                sends[i] = both.isend(buf(new int[] {t.rank()}), i % g.remoteSize(), i / g.remoteSize());
            }
            int[] in = new int[1];
            boolean[] seen = new boolean[g.remoteSize()];
            for (int i = 0; i < g.remoteSize(); i++) {
                Status s = both.recv(buf(in), Comm.ANY_SOURCE, 0);
                Check.that(!seen[s.source()], "a second message of remote rank " + s.source());
                seen[s.source()] = true;
                Check.same(g.theirs()[s.source()], in[0], "value from remote rank " + s.source());
            }
            for (int i = 0; i < g.remoteSize(); i++) {
                Status s = both.probe(Comm.ANY_SOURCE, 1);
                Check.same(s.source(), both.recv(buf(in), s.source(), 1).source(), "source of the probed message");
                Check.same(g.theirs()[s.source()], in[0], "value of the probed message");
            }
            for (int r = 0; r < g.remoteSize(); r++) {
                Message m = both.mprobe(r, 2);
                Check.same(r, m.status().source(), "source of the matched message");
                Check.same(r, m.recv(buf(in)).source(), "source of the receive");
                Check.same(g.theirs()[r], in[0], "value of the matched message");
            }
            for (Request send : sends) send.await();
        });
    }

    @Contract(minRanks = 2)
    public static void persistentObjectsAndExchanges(Trial t) throws Exception {
        TwoGroups.each(t, g -> {
            Intercomm both = g.both();
            int pairs = Math.min(g.size(), g.remoteSize());
            // a rank without a counterpart in the other group passes PROC_NULL
            int like = g.rank() < pairs ? g.rank() : Comm.PROC_NULL;
            int theirs = like < 0 ? -1 : g.theirs()[like];
            int[] in = {-1};
            Status s = both.sendrecv(buf(new int[] {t.rank()}), like, buf(in), like);
            Check.same(like, s.source(), "source of the exchange");
            Check.same(theirs, in[0], "exchanged value");
            int[] swapped = {t.rank()};
            both.sendrecvReplace(buf(swapped), like, like);
            Check.same(like < 0 ? t.rank() : theirs, swapped[0], "replaced value");
            int[] out = new int[1];
            in[0] = -1;
            try (PersistentRequest send = both.sendInit(buf(out), like, 4);
                    PersistentRequest receive = both.recvInit(buf(in), like, 4)) {
                for (int i = 0; i < 3; i++) {
                    out[0] = 100 * t.rank() + i;
                    t.mpi().requests(receive, send).startAll();
                    Check.same(like, receive.await().source(), "source of a persistent receive");
                    send.await();
                    Check.same(like < 0 ? -1 : 100 * theirs + i, in[0], "value of a persistent receive");
                }
            }
            Object object = both.sendrecvObject(List.of(t.rank(), "x"), like, Object.class, like);
            Check.same(like < 0 ? null : List.of(theirs, "x"), object, "the object exchanged");
            Request sent = both.isendObject(Map.of("rank", t.rank()), like, 6);
            Check.same(like < 0 ? null : Map.of("rank", theirs), both.recvObject(Map.class, like, 6), "the object");
            sent.await();
        });
    }

    /// Each rank sends to every rank of the remote group, with as many partitions as the local group has ranks.
    @Contract(minRanks = 2)
    public static void messagesInParts(Trial t) throws Exception {
        TwoGroups.each(t, g -> {
            Intercomm both = g.both();
            int n = g.size() * g.remoteSize();
            int like = g.rank() < Math.min(g.size(), g.remoteSize()) ? g.rank() : Comm.PROC_NULL;
            int[] in = new int[n];
            try (PartitionedSend send = both.psendInit(buf(new int[n]), n, like, 7)) {
                send.start();
                send.preadyRange(0, n - 1);
                try (PartitionedReceive receive = both.precvInit(buf(in), g.remoteSize(), like, 7)) {
                    receive.start();
                    Check.same(like, receive.await().source(), "source");
                    send.await();
                }
            }
            int[] out = new int[n];
            Arrays.fill(out, t.rank());
            try (PartitionedSend send = both.psendInit(buf(out), g.size(), like, 7);
                    PartitionedReceive receive = both.precvInit(buf(in), g.remoteSize(), like, 7)) {
                for (int round = 0; round < 2; round++) {
                    t.mpi().requests(receive, send).startAll();
                    send.preadyRange(0, g.size() - 1);
                    receive.await();
                    send.await();
                    if (like >= 0) Check.same(g.theirs()[like], in[n - 1], "last value of round " + round);
                }
            }
        });
    }

    /// Messages of the parent communicator do not match, and messages of one rank arrive in order.
    @Contract(minRanks = 2)
    public static void contextAndOrderAreSeparate(Trial t) throws Exception {
        TwoGroups.each(t, g -> {
            Intercomm both = g.both();
            Request parent = t.world().isend(buf(new int[] {-1}), t.rank(), 0);
            Request[] sends = new Request[20 * g.remoteSize()];
            for (int i = 0; i < sends.length; i++) sends[i] = both.isend(buf(new int[] {i}), i % g.remoteSize());
            int[] next = IntStream.range(0, g.remoteSize()).map(r -> g.rank()).toArray();
            int[] in = new int[1];
            for (int i = 0; i < 20 * g.remoteSize(); i++) {
                int source = both.recv(buf(in)).source();
                Check.same(next[source], in[0], "message of remote rank " + source);
                next[source] += g.size();
            }
            for (Request send : sends) send.await();
            Check.that(both.iprobe(Comm.ANY_SOURCE, Comm.ANY_TAG) == null, "a probe found a message of the world");
            t.world().recv(buf(in), t.rank(), 0);
            parent.await();
        });
    }

    @Contract(minRanks = 2)
    public static void errorsNameTheRemoteGroup(Trial t) throws Exception {
        TwoGroups.each(t, g -> {
            Intercomm both = g.both();
            int n = g.remoteSize();
            String ranks = " is not a rank of the remote group of " + both.name() + ", which has ranks 0 to " + (n - 1)
                    + " (" + g.where() + ")";
            Buf x = buf(new int[1]);
            Check.rejects(ErrorClass.ERR_RANK, "send: dest=" + n + ranks, () -> both.send(x, n));
            Check.rejects(ErrorClass.ERR_RANK, "irecv: source=" + n + ranks, () -> both.irecv(x, n));
            Check.rejects(ErrorClass.ERR_RANK, "recvObject: source=-5" + ranks, () -> both.recvObject(Map.class, -5));
            int like = g.rank() < Math.min(g.size(), n) ? g.rank() : Comm.PROC_NULL;
            Request sent = both.isend(buf(new int[4]), like, 3);
            if (like >= 0) {
                String text = ""
                        + Check.fails(ErrorClass.ERR_TRUNCATE, () -> both.recv(x, like, 3))
                                .getMessage();
                Check.that(
                        text.contains("from rank " + like + " of the remote group, tag 3, ")
                                && text.contains(", does not fit")
                                && text.endsWith(" (" + g.where() + ")"),
                        "text of the truncation: " + text);
            }
            sent.await();
            Request pending = both.irecv(x, 0, 8);
            Check.same("irecv(1 INT, source=0, tag=8)", pending.toString(), "a pending receive");
            pending.cancel();
            Check.that(pending.await().isCancelled(), "it is cancelled");
        });
    }
}
