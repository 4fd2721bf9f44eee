package org.tutti.conformance.contract.comm;

import static org.tutti.mpi.Buf.buf;

import java.util.List;
import java.util.Map;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Group;
import org.tutti.mpi.Intercomm;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Request;
import org.tutti.mpi.Session;
import org.tutti.mpi.Window;

/// Sessions, while the rank's world is open.
public final class SessionContract {
    private SessionContract() {}

    private static String end(Trial t) {
        return " (rank " + t.rank() + " of " + t.size() + ", WORLD)";
    }

    @Contract
    public static void processSetsHaveNamesSizesAndGroups(Trial t) {
        try (Session session = Session.open(Map.of("thread_level", "MPI_THREAD_SINGLE", "mine", "yes"))) {
            Check.same(List.of("mpi://WORLD", "mpi://SELF", "tutti://MACHINE"), session.processSets(), "sets");
            Check.same(Map.of("thread_level", "MPI_THREAD_MULTIPLE", "mine", "yes"), session.info(), "info");
            Check.same(Map.of("mpi_size", "" + t.size()), session.processSet(Session.WORLD), "the world's");
            Check.same(t.world().group(), session.group(Session.WORLD), "the world");
            Check.same(t.mpi().self().group(), session.group(Session.SELF), "this rank");
            Check.same(t.size(), session.group(Session.MACHINE).size(), "ranks of this machine");
            Check.same(t.rank(), session.group(Session.MACHINE).rank(), "this rank there");
        }
    }

    @Contract
    public static void communicatorsOfTwoSessionsAreSeparate(Trial t) {
        int right = (t.rank() + 1) % t.size(), left = (t.rank() + t.size() - 1) % t.size();
        try (Session one = Session.open();
                Session two = Session.open();
                OwnedComm first = one.createFromGroup(one.group(Session.WORLD), "first");
                OwnedComm second = two.createFromGroup(two.group(Session.WORLD), "second")) {
            int[] a = {-1}, b = {-1}, c = {-1};
            Request ofFirst = first.irecv(buf(a), left, 3), ofSecond = second.irecv(buf(b), left, 3);
            Request ofWorld = t.world().irecv(buf(c), left, 3);
            t.world().send(buf(new int[] {300 + t.rank()}), right, 3);
            second.send(buf(new int[] {200 + t.rank()}), right, 3);
            first.send(buf(new int[] {100 + t.rank()}), right, 3);
            one.requests(ofFirst).awaitAll();
            two.requests(ofSecond).awaitAll();
            ofWorld.await();
            Check.same(List.of(100 + left, 200 + left, 300 + left), List.of(a[0], b[0], c[0]), "received values");
            try (Window window = Window.allocate(first, 8, 8)) {
                window.fence();
                window.put(buf(new long[] {t.rank()}), right, 0);
                window.fence();
            }
        }
    }

    @Contract
    public static void ranksMayOpenDifferentNumbersOfSessions(Trial t) {
        for (int i = 0; i < t.rank() * 3; i++) Session.open().close();
        int rest = t.size() - 1;
        if (t.rank() == 0 && rest > 0) return;
        for (int round = 0; round < 20; round++) {
            try (Session session = Session.open()) {
                Group world = session.group(Session.WORLD), some = rest > 0 ? world.excl(0) : world;
                try (OwnedComm comm = session.createFromGroup(some, "round " + round)) {
                    int[] count = {1};
                    comm.allreduce(buf(count), Op.SUM);
                    Check.same(some.size(), count[0], "members");
                }
            }
        }
    }

    @Contract
    public static void twoSessionsCreateAnIntercommunicator(Trial t) {
        if (t.size() < 2) return;
        try (Session session = Session.open()) {
            Group low = session.group(Session.WORLD).incl(0),
                    high = session.group(Session.WORLD).excl(0);
            boolean isLow = t.rank() == 0;
            try (Intercomm both = session.intercommFromGroups(isLow ? low : high, isLow ? high : low, "low and high")) {
                int[] sum = {0};
                both.allreduce(buf(new int[] {1}), buf(sum), Op.SUM);
                Check.same(isLow ? t.size() - 1 : 1, sum[0], "the other side");
            }
        }
    }

    @Contract
    public static void sessionHasASeparateBuffer(Trial t) {
        try (Session session = Session.open();
                OwnedComm comm = session.createFromGroup(session.group(Session.WORLD), "buffered")) {
            session.attachBuffer(1 << 12);
            Check.fails(ErrorClass.ERR_BUFFER, () -> session.attachBuffer(session.alloc(64)));
            int[] in = {0};
            Request receive = comm.irecv(buf(in), (t.rank() + 1) % t.size(), 0);
            comm.bsend(buf(new int[] {t.rank() + 7}), (t.rank() + t.size() - 1) % t.size(), 0);
            session.iflushBuffers().await();
            receive.await();
            session.flushBuffers();
            Check.same(1L << 12, session.detachBuffer().byteSize(), "the buffer");
            Check.same((t.rank() + 1) % t.size() + 7, in[0], "received value");
        }
    }

    @Contract
    @SuppressWarnings("NullAway") // null arguments are rejected
    public static void closedSessionsAreRejected(Trial t) {
        Session session = Session.open();
        OwnedComm comm = session.createFromGroup(session.group(Session.SELF), "single " + t.rank());
        Check.rejects(
                ErrorClass.ERR_ARG,
                "group: process set mpi://world does not exist; pass one of mpi://WORLD, mpi://SELF, tutti://MACHINE"
                        + end(t),
                () -> session.group("mpi://world"));
        session.free(session.alloc(64));
        comm.close();
        session.close();
        session.close();
        MpiException e = Check.fails(ErrorClass.ERR_SESSION, () -> session.group(Session.WORLD));
        Check.that(
                String.valueOf(e.getMessage()).startsWith("group: called after Session.close at SessionContract.java:"),
                "the text: " + e.getMessage());
        Check.fails(ErrorClass.ERR_SESSION, session::processSets);
        Check.fails(ErrorClass.ERR_SESSION, () -> session.processSet(Session.SELF));
        Check.fails(ErrorClass.ERR_SESSION, session::info);
        Check.fails(
                ErrorClass.ERR_SESSION, () -> session.createFromGroup(t.world().group(), "closed"));
        Check.rejects(ErrorClass.ERR_ARG, "open: info is null", () -> Session.open(null));
    }
}
