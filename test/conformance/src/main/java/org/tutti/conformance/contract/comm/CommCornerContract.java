package org.tutti.conformance.contract.comm;

import static org.tutti.mpi.Buf.buf;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.AttributeKey;
import org.tutti.mpi.Comm;
import org.tutti.mpi.CommRequest;
import org.tutti.mpi.Comparison;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Group;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;

/// Corner cases of groups and communicators that test suites of MPI check. MPI 4.1, chapter 7.
public final class CommCornerContract {
    private CommCornerContract() {}

    /// Applies the set operations to equal groups and to empty groups.
    @Contract
    public static void groupOperationsWithSelfAndEmpty(Trial t) {
        Group all = t.world().group();
        Check.same(Comparison.IDENT, Group.EMPTY.compare(all.excl(ranks(t.size()))), "two empty groups");
        Check.same(t.size() == 0 ? Comparison.IDENT : Comparison.UNEQUAL, all.compare(Group.EMPTY), "all and none");
        Check.same(Comparison.IDENT, all.union(all).compare(all), "union with itself");
        Check.same(Comparison.IDENT, all.intersection(all).compare(all), "intersection with itself");
        Check.same(0, all.difference(all).size(), "difference with itself");
        Check.same(Comparison.IDENT, all.union(Group.EMPTY).compare(all), "union with none");
        Check.same(Comparison.IDENT, Group.EMPTY.union(all).compare(all), "union of none with all");
        Check.same(0, all.intersection(Group.EMPTY).size(), "intersection with none");
        Check.same(Comparison.IDENT, all.difference(Group.EMPTY).compare(all), "difference with none");
        Check.same(0, all.incl().size(), "no ranks included");
        Check.same(Comparison.IDENT, all.excl().compare(all), "no ranks excluded");
        Check.same(Comm.UNDEFINED, Group.EMPTY.rank(), "rank in the empty group");
        int[] reversed = ranks(t.size());
        for (int i = 0; i < reversed.length; i++) reversed[i] = t.size() - 1 - i;
        Comparison expected = t.size() == 1 ? Comparison.IDENT : Comparison.SIMILAR;
        Check.same(expected, all.incl(reversed).compare(all), "all in reverse order");
        Check.same(t.size() - 1 - t.rank(), all.incl(reversed).rank(), "rank in reverse order");
        Check.same(
                Comm.PROC_NULL,
                all.translateRanks(new int[] {Comm.PROC_NULL}, Group.EMPTY)[0],
                "PROC_NULL in a different group");
        Check.same(Comm.UNDEFINED, all.translateRanks(new int[] {0}, Group.EMPTY)[0], "rank 0 in no group");
    }

    private static int[] ranks(int n) {
        int[] ranks = new int[n];
        for (int i = 0; i < n; i++) ranks[i] = i;
        return ranks;
    }

    /// Nonblocking duplications are awaited in reverse order, with other calls in between.
    @Contract
    public static void copiesAwaitedInReverse(Trial t) {
        List<CommRequest<? extends OwnedComm>> pending = new ArrayList<>();
        int sum = 0;
        for (int i = 0; i < 3; i++) {
            pending.add(t.world().idup());
            sum += t.world().allreduce(1, Op.SUM);
        }
        Check.same(3L * t.size(), sum, "sums between duplications");
        List<OwnedComm> made = new ArrayList<>();
        for (CommRequest<? extends OwnedComm> request : pending.reversed()) made.add(request.awaitComm());
        for (OwnedComm comm : made) {
            Check.same(Comparison.CONGRUENT, comm.compare(t.world()), "copy and world");
            int[] in = new int[1];
            comm.sendrecv(buf(new int[] {t.rank()}), t.right(), buf(in), t.left());
            Check.same(t.left(), in[0], "message in a copy");
        }
        Check.same(Comparison.CONGRUENT, made.get(0).compare(made.get(1)), "two copies");
        made.forEach(OwnedComm::close);
    }

    /// A message in one communicator is pending while messages with the same ranks and tag are sent and
    /// received in other communicators.
    @Contract
    public static void sameEnvelopeInFourCommunicators(Trial t) {
        try (OwnedComm first = t.world().dup();
                OwnedComm second = first.dup();
                OwnedComm third = second.split(0)) {
            List<Comm> all = List.of(t.world(), first, second, third);
            for (int i = 0; i < all.size(); i++) all.get(i).bsend(buf(new int[] {i}), t.right(), 4);
            for (int i = all.size() - 1; i >= 0; i--) {
                int[] in = new int[1];
                all.get(i).recv(buf(in), Comm.ANY_SOURCE, Comm.ANY_TAG);
                Check.same(i, in[0], "message of " + all.get(i).name());
            }
        }
    }

    /// The deleter of an attribute may use the communicator and close it.
    @Contract
    public static void deleterMayCloseTheCommunicator(Trial t) {
        int[] calls = {0};
        AttributeKey<String> key = AttributeKey.of("closing", (from, value) -> value, (comm, value) -> {
            calls[0]++;
            comm.barrier();
            if (comm instanceof OwnedComm owned) owned.close();
        });
        OwnedComm comm = t.world().dup();
        comm.setAttribute(key, "a");
        comm.close();
        Check.same(1, calls[0], "calls of the deleter");
        Check.fails(ErrorClass.ERR_COMM, comm::barrier);
    }

    @Contract
    public static void severalThreadsCloseOneCommunicator(Trial t) throws InterruptedException {
        for (int round = 0; round < 20; round++) {
            OwnedComm comm = t.world().dup();
            List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                threads.add(Thread.ofVirtual().start(() -> {
                    try {
                        comm.close();
                    } catch (RuntimeException | Error e) {
                        failures.add(e);
                    }
                }));
            }
            for (Thread thread : threads) thread.join();
            Check.that(failures.isEmpty(), "failures: " + failures);
        }
        Check.same(t.size(), t.world().allreduce(1, Op.SUM), "sum after it");
    }

    /// Duplication copies attributes as the keys specify. No other constructor copies attributes.
    @Contract
    public static void attributesOfDerivedCommunicators(Trial t) {
        AttributeKey<String> copied = AttributeKey.of("copied", (from, value) -> value + "+", (comm, value) -> {});
        try (OwnedComm comm = t.world().dup()) {
            comm.setAttribute(copied, "a");
            try (OwnedComm dup = comm.dup();
                    OwnedComm again = dup.dup();
                    OwnedComm part = comm.split(0);
                    OwnedComm group = comm.createGroup(comm.group())) {
                Check.same("a+", dup.attribute(copied), "attribute of the copy");
                Check.same("a++", again.attribute(copied), "attribute of the copy's copy");
                Check.same(null, part.attribute(copied), "attribute of a part");
                Check.same(null, group.attribute(copied), "attribute of a group's communicator");
                Check.same("a+", dup.deleteAttribute(copied), "deleted attribute");
                Check.same(null, dup.attribute(copied), "deleted attribute");
                Check.same("a", comm.attribute(copied), "the original");
            }
        }
    }

    /// Keys may be negative and up to the limits of an `int`. Ranks with equal keys keep the old order.
    @Contract
    public static void splitKeysAtTheLimits(Trial t) {
        int key = t.rank() == 0 ? Integer.MAX_VALUE : t.rank() == t.size() - 1 ? Integer.MIN_VALUE : 0;
        try (OwnedComm part = t.world().split(Integer.MAX_VALUE, key)) {
            Check.same(t.size(), part.size(), "size");
            int expected = t.rank() == 0 ? t.size() - 1 : t.rank() == t.size() - 1 ? 0 : t.rank();
            Check.same(expected, part.rank(), "rank");
        }
    }

    /// A job that was not spawned has no parent, and a job without failures reports no failure.
    @Contract
    public static void worldWithoutParent(Trial t) {
        Check.same(null, t.mpi().parent(), "parent");
        Check.that(t.world().failure() == null, "failure of a healthy job");
        Check.that(!t.world().isInter(), "the world has two groups");
        Check.same(Comparison.IDENT, t.world().compare(t.world()), "the world and itself");
        Comparison expected = t.size() == 1 ? Comparison.CONGRUENT : Comparison.UNEQUAL;
        Check.same(expected, t.world().compare(t.mpi().self()), "the world and self");
    }
}
