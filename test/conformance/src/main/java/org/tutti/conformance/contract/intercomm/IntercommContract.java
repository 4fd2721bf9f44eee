package org.tutti.conformance.contract.intercomm;

import static org.tutti.mpi.Buf.buf;

import java.util.Map;
import java.util.stream.IntStream;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.CommRequest;
import org.tutti.mpi.Comparison;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Group;
import org.tutti.mpi.Intercomm;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Request;

/// Creation of intercommunicators, and of communicators from intercommunicators. MPI 4.1, sections 7.4 and 7.6.
public final class IntercommContract {
    private IntercommContract() {}

    private static Group group(Trial t, int... worldRanks) {
        return t.world().group().incl(worldRanks);
    }

    /// Checks that every rank can send a message to every remote rank.
    private static void works(Intercomm both, int me, int... theirs) {
        int[] in = new int[theirs.length];
        Request[] requests = new Request[theirs.length];
        for (int r = 0; r < theirs.length; r++) requests[r] = both.irecv(buf(in, r, 1), r, 3);
        for (int r = 0; r < theirs.length; r++) both.send(buf(new int[] {me}), r, 3);
        for (Request request : requests) request.await();
        for (int r = 0; r < theirs.length; r++) Check.same(theirs[r], in[r], "world rank of remote rank " + r);
        int sum = both.allreduce(me, Op.SUM);
        Check.same(IntStream.of(theirs).sum(), sum, "sum of the remote group");
    }

    @Contract(minRanks = 2)
    public static void groupsMatchTheLeadersGroups(Trial t) throws Exception {
        TwoGroups.each(t, g -> {
            Intercomm both = g.both();
            Check.that(both.isInter() && !g.local().isInter(), "isInter");
            Check.same(g.mine().length, both.size(), "size");
            Check.same(g.theirs().length, both.remoteSize(), "remote size");
            Check.same(g.local().rank(), both.rank(), "rank");
            Check.same(group(t, g.mine()), both.group(), "group");
            Check.same(group(t, g.theirs()), both.remoteGroup(), "remote group");
            Check.that(both.name().startsWith("WORLD.intercomm"), "name " + both.name());
            works(both, t.rank(), g.theirs());
        });
    }

    @Contract(minRanks = 2)
    public static void comparesBothGroups(Trial t) throws Exception {
        TwoGroups.each(t, g -> {
            Intercomm both = g.both();
            try (Intercomm dup = both.dup();
                    Intercomm reversed = both.split(0, g.low() ? -both.rank() : both.rank());
                    OwnedComm merged = both.merge(g.low())) {
                Check.same(Comparison.IDENT, both.compare(both), "with itself");
                Check.same(Comparison.CONGRUENT, both.compare(dup), "with the copy");
                boolean turned = (g.low() ? g.size() : g.remoteSize()) > 1;
                Check.same(
                        turned ? Comparison.SIMILAR : Comparison.CONGRUENT,
                        both.compare(reversed),
                        "with a different rank order");
                Check.same(Comparison.UNEQUAL, both.compare(g.local()), "with the local group");
                Check.same(Comparison.UNEQUAL, merged.compare(both), "the merged one with it");
                Check.same(both.name() + ".dup1", dup.name(), "name of the copy");
                works(dup, t.rank(), g.theirs());
            }
        });
    }

    @Contract(minRanks = 2)
    public static void idupCopiesLater(Trial t) throws Exception {
        TwoGroups.each(t, g -> {
            CommRequest<Intercomm> first = g.both().idup();
            CommRequest<Intercomm> second = g.both().idup(Map.of("colour", "red"));
            g.both().barrier();
            try (Intercomm b = second.awaitComm();
                    Intercomm a = first.awaitComm()) {
                works(a, t.rank(), g.theirs());
                works(b, t.rank(), g.theirs());
                Check.same(g.both().name() + ".idup1", a.name(), "name");
                Check.same(Map.of("colour", "red"), b.info(), "info");
                Check.same(Comparison.CONGRUENT, a.compare(b), "the copies");
            }
        });
    }

    @Contract(minRanks = 2)
    public static void mergePutsTheLowGroupFirst(Trial t) throws Exception {
        TwoGroups.each(t, g -> {
            try (OwnedComm lowFirst = g.both().merge(!g.low());
                    OwnedComm highFirst = g.both().merge(g.low());
                    OwnedComm any = g.both().merge(true)) {
                Group mine = group(t, g.mine());
                Group theirs = group(t, g.theirs());
                Check.same(
                        g.low() ? mine.union(theirs) : theirs.union(mine), lowFirst.group(), "the first group first");
                Check.same(g.low() ? theirs.union(mine) : mine.union(theirs), highFirst.group(), "the second first");
                Check.same(mine.size() + theirs.size(), any.size(), "size if both groups pass high");
                Check.that(!any.isInter(), "a merged one has one group");
                Check.same(any.size(), any.allreduce(1, Op.SUM), "sum over the merged one");
                int[] in = new int[1];
                int n = lowFirst.size();
                lowFirst.sendrecv(
                        buf(new int[] {lowFirst.rank()}),
                        (lowFirst.rank() + 1) % n,
                        buf(in),
                        (lowFirst.rank() + n - 1) % n);
                Check.same((lowFirst.rank() + n - 1) % n, in[0], "value in the ring");
            }
        });
    }

    /// If only one group passes a color, no communicator is created for that color.
    @Contract(minRanks = 2)
    public static void splitKeepsTwoGroups(Trial t) throws Exception {
        TwoGroups.each(t, g -> {
            int color = g.rank() % 2;
            try (Intercomm part = g.both().split(color, -g.rank())) {
                int[] mine = every(g.mine(), color);
                int[] theirs = every(g.theirs(), color);
                if (theirs.length == 0) {
                    Check.same(0, part.size(), "size of no part");
                    Check.same(0, part.remoteSize(), "remote size of no part");
                    Check.rejects(
                            ErrorClass.ERR_COMM,
                            "barrier: this rank passed color=" + color
                                    + " to split, but no rank of the remote group did" + " (" + t.where() + ")",
                            part::barrier);
                } else {
                    Check.same(group(t, mine), part.group(), "group of the part");
                    Check.same(group(t, theirs), part.remoteGroup(), "remote group of the part");
                    works(part, t.rank(), theirs);
                }
            }
            try (Intercomm none = g.both().split(g.rank() == 0 ? Comm.UNDEFINED : 1)) {
                boolean some = g.rank() > 0 && g.remoteSize() > 1;
                Check.same(some ? g.size() - 1 : 0, none.size(), "size without the first ranks");
            }
        });
    }

    /// Returns every second rank, from odd or even positions, in reverse order.
    private static int[] every(int[] ranks, int odd) {
        return IntStream.range(0, ranks.length)
                .map(i -> ranks.length - 1 - i)
                .filter(i -> i % 2 == odd)
                .map(i -> ranks[i])
                .toArray();
    }

    @Contract(minRanks = 2)
    public static void createTakesAGroupOfEach(Trial t) throws Exception {
        TwoGroups.each(t, g -> {
            int[] mine = every(g.mine(), 0);
            int[] theirs = every(g.theirs(), 0);
            try (Intercomm part = g.both().create(group(t, mine));
                    Intercomm oneSided = g.both().create(g.low() ? group(t, mine) : Group.EMPTY)) {
                if (g.rank() % 2 == 0) {
                    Check.same(group(t, mine), part.group(), "group of the part");
                    Check.same(group(t, theirs), part.remoteGroup(), "remote group of the part");
                    works(part, t.rank(), theirs);
                } else {
                    Check.rejects(
                            ErrorClass.ERR_COMM,
                            "barrier: this rank is not in the group that it passed to create (" + t.where() + ")",
                            part::barrier);
                }
                Check.same(0, oneSided.size(), "size where one group is empty");
                if (g.low() && g.rank() % 2 == 0) {
                    Check.rejects(
                            ErrorClass.ERR_COMM,
                            "isend: the remote group passed an empty group to create (" + t.where() + ")",
                            () -> oneSided.isend(buf(new int[1]), 0));
                }
            }
            Group rest = group(t, g.theirs());
            Check.rejects(
                    ErrorClass.ERR_GROUP,
                    "create: " + rest + " has ranks that are not in " + g.both().name() + ": " + rest + " (" + g.where()
                            + ")",
                    () -> g.both().create(rest));
        });
    }

    @Contract(minRanks = 2)
    public static void fromGroupsWithoutAParent(Trial t) {
        Group world = t.world().group();
        Group first = world.incl(t.size() - 1);
        Group second = world.excl(t.size() - 1);
        boolean inFirst = t.rank() == t.size() - 1;
        try (OwnedComm all = t.mpi().createFromGroup(world, "all");
                Intercomm both = t.mpi()
                        .intercommFromGroups(inFirst ? first : second, inFirst ? second : first, "org.tutti.two")) {
            Check.same("all", all.name(), "name");
            Check.same(Comparison.CONGRUENT, all.compare(t.world()), "all ranks");
            Check.same(t.size(), all.allreduce(1, Op.SUM), "sum");
            Check.same("org.tutti.two", both.name(), "name");
            Check.same(inFirst ? second : first, both.remoteGroup(), "remote group");
            int[] rest = IntStream.range(0, t.size() - 1).toArray();
            works(both, t.rank(), inFirst ? rest : new int[] {t.size() - 1});
        }
        Group without = world.excl(t.rank());
        Check.rejects(
                ErrorClass.ERR_GROUP,
                "createFromGroup: this rank, world rank " + t.rank() + ", is not in " + without
                        + "; only members may call createFromGroup (" + t.where() + ")",
                () -> t.mpi().createFromGroup(without, "x"));
    }

    /// Messages between the leaders during creation match no message of the program and no message of a
    /// different creation.
    @Contract(minRanks = 2)
    public static void creationDoesNotMatchMessages(Trial t) throws Exception {
        int[] in = new int[1];
        Request any = t.world().irecv(buf(in));
        t.world().barrier();
        TwoGroups.each(t, g -> {
            Check.that(!any.test(), "a user's receive matched a message of the leaders");
            g.both().barrier();
        });
        // in some shapes, some ranks are in neither group
        t.world().barrier();
        t.world().send(buf(new int[] {t.rank()}), t.right());
        any.await();
        Check.same(t.left(), in[0], "the user's message");
    }

    @Contract(minRanks = 2)
    public static void groupsThatCannotBeConnected(Trial t) throws Exception {
        Comm w = t.world();
        String ranks = " is not a rank of WORLD, which has ranks 0 to " + (t.size() - 1) + " (" + t.where() + ")";
        Check.rejects(ErrorClass.ERR_RANK, "intercomm: localLeader=-1" + ranks, () -> w.intercomm(-1, w, 0, 0));
        Check.rejects(
                ErrorClass.ERR_RANK,
                "intercomm: remoteLeader=" + t.size() + ranks,
                () -> w.intercomm(t.rank(), w, t.size(), 0));
        Check.rejects(
                ErrorClass.ERR_TAG,
                "intercomm: tag=-1 is not in 0 to " + w.tagUpperBound() + " (" + t.where() + ")",
                () -> w.intercomm(0, w, 0, -1));
        Check.rejects(
                ErrorClass.ERR_COMM,
                "intercomm: peer is null on the local leader; pass a communicator that the other leader is in ("
                        + t.where() + ")",
                () -> w.intercomm(t.rank(), null, 0, 0));
        Group all = w.group();
        Check.rejects(
                ErrorClass.ERR_GROUP,
                "intercomm: the local group, " + all + ", and the remote group, " + all + ", have common ranks: " + all
                        + " (" + t.where() + ")",
                () -> w.intercomm(0, w, 0, 0));
    }

    @Contract(minRanks = 2)
    public static void closedIntercommunicatorIsRejected(Trial t) throws Exception {
        TwoGroups.each(t, g -> {
            Intercomm copy = g.both().dup();
            String line = Check.nextLine();
            copy.close();
            copy.close();
            Check.rejects(
                    ErrorClass.ERR_COMM,
                    "send: the communicator " + copy.name() + " was closed at " + line + " (" + g.where() + ".dup1)",
                    () -> copy.send(Buf.NONE, 0));
        });
    }
}
