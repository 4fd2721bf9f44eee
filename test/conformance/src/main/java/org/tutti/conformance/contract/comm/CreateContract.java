package org.tutti.conformance.contract.comm;

import static org.tutti.mpi.Buf.buf;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Comparison;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Group;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Request;
import org.tutti.mpi.SplitType;

/// Communicators created from groups, by all ranks or only by the members, and communicators of ranks that can
/// share memory. MPI 4.1, section 7.4.2.
public final class CreateContract {
    private CreateContract() {}

    /// Returns every `step`-th rank of the world, in reverse order.
    private static Group backwards(Trial t, int step) {
        return t.world().group().rangeIncl(new Group.Range(t.size() - 1, 0, -step));
    }

    private static void works(OwnedComm comm, Group group, Trial t) {
        Check.same(group.size(), comm.size(), "size");
        Check.same(group.rank(), comm.rank(), "rank");
        Check.same(group, comm.group(), "group");
        int[] all = new int[group.size()];
        comm.allgather(buf(new int[] {t.rank()}), buf(all));
        for (int r = 0; r < all.length; r++) {
            int[] inWorld = group.translateRanks(new int[] {r}, t.world().group());
            Check.same(inWorld[0], all[r], "world rank of rank " + r);
        }
        int n = comm.size();
        int[] in = new int[1];
        comm.sendrecv(buf(new int[] {comm.rank()}), (comm.rank() + 1) % n, buf(in), (comm.rank() + n - 1) % n);
        Check.same((comm.rank() + n - 1) % n, in[0], "value in the ring");
    }

    @Contract
    public static void createFollowsGroupOrder(Trial t) {
        Group group = backwards(t, 2);
        try (OwnedComm comm = t.world().create(group)) {
            if (group.rank() != Comm.UNDEFINED) {
                works(comm, group, t);
            } else {
                Check.same(0, comm.size(), "size outside of the group");
                Check.rejects(
                        ErrorClass.ERR_COMM,
                        "barrier: this rank is not in the group that it passed to create (" + t.where() + ")",
                        comm::barrier);
            }
        }
    }

    @Contract
    public static void createAcceptsDisjointGroups(Trial t) {
        Group world = t.world().group();
        Group odd = t.size() > 1 ? world.rangeIncl(new Group.Range(1, t.size() - 1, 2)) : Group.EMPTY;
        Group mine = t.rank() % 2 == 1 ? odd : backwards(t, 1).difference(odd);
        try (OwnedComm comm = t.world().create(mine)) {
            works(comm, mine, t);
        }
        try (OwnedComm none = t.world().create(Group.EMPTY)) {
            Check.same(0, none.size(), "size of the communicator of an empty group");
        }
    }

    @Contract(minRanks = 2, maxRanks = 2)
    public static void createReportsContradictoryGroups(Trial t) {
        Group world = t.world().group();
        if (t.rank() == 0) {
            String text =
                    "create: this rank passed Group [0, 1], but only Group [0] passed the same group; pass the same"
                            + " group on all members (" + t.where() + ")";
            Check.same(
                    text,
                    Check.fails(ErrorClass.ERR_MISMATCH, () -> t.world().create(world))
                            .getMessage(),
                    "text");
        } else {
            t.world().create(Group.EMPTY).close();
        }
    }

    /// Meanwhile the rank outside the group waits for a message that is sent only after the members have
    /// created the communicator.
    @Contract(minRanks = 2)
    public static void createGroupNeedsOnlyMembers(Trial t) {
        Group group = backwards(t, 1).excl(0);
        if (group.rank() == Comm.UNDEFINED) {
            t.world().recv(buf(new int[0]), 0, 3);
        } else {
            try (OwnedComm comm = t.world().createGroup(group, 5)) {
                works(comm, group, t);
            }
            if (t.rank() == 0) t.world().send(buf(new int[0]), t.size() - 1, 3);
        }
        t.world().barrier();
    }

    @Contract
    public static void disjointGroupsCreateConcurrently(Trial t) {
        Group world = t.world().group();
        Group odd = t.size() > 1 ? world.rangeIncl(new Group.Range(1, t.size() - 1, 2)) : Group.EMPTY;
        Group mine = t.rank() % 2 == 1 ? odd : world.difference(odd);
        for (int i = 0; i < 5; i++) {
            try (OwnedComm comm = t.world().createGroup(mine, i % 2);
                    OwnedComm inner =
                            comm.createGroup(comm.group().rangeIncl(new Group.Range(comm.size() - 1, 0, -1)))) {
                works(comm, mine, t);
                Check.same(comm.size() - 1 - comm.rank(), inner.rank(), "rank in the reversed one");
                Check.same(comm.size(), inner.allreduce(1, Op.SUM), "sum over the reversed one");
            }
        }
    }

    /// Each thread passes a different tag, and the threads may finish in any order.
    @Contract
    public static void threadsCreateConcurrently(Trial t) throws InterruptedException {
        Group all = t.world().group();
        Group back = backwards(t, 1);
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int tag = t.rank() % 2 == 0 ? i : 2 - i;
            threads.add(Thread.ofPlatform().start(() -> {
                try (OwnedComm comm = t.world().createGroup(tag == 1 ? back : all, tag)) {
                    Check.same(tag == 1 ? t.size() - 1 - t.rank() : t.rank(), comm.rank(), "rank with tag " + tag);
                    int[] in = new int[1];
                    int n = comm.size();
                    int right = (comm.rank() + 1) % n;
                    comm.sendrecv(buf(new int[] {tag}), right, buf(in), (comm.rank() + n - 1) % n);
                    Check.same(tag, in[0], "value received in the communicator of tag " + tag);
                } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                }
            }));
        }
        for (Thread thread : threads) thread.join();
        Throwable first = failure.get();
        if (first != null) throw new AssertionError(first);
    }

    @Contract
    public static void createGroupAcceptsTheLargestTag(Trial t) {
        Group all = t.world().group();
        try (OwnedComm comm = t.world().createGroup(all, t.world().tagUpperBound())) {
            works(comm, all, t);
        }
    }

    /// A wildcard receive of the program does not match the messages that create the communicator.
    @Contract
    public static void createGroupDoesNotMatchMessages(Trial t) {
        int[] in = new int[1];
        Request any = t.world().irecv(buf(in));
        t.world().barrier();
        try (OwnedComm comm = t.world().createGroup(t.world().group(), 7)) {
            Check.that(!any.test(), "a user's receive matched a message of createGroup");
            comm.barrier();
            t.world().send(buf(new int[] {t.rank()}), t.right(), 7);
            any.await();
            Check.same(t.left(), in[0], "the user's message");
        }
    }

    @Contract
    public static void ranksOfOneMachineShareMemory(Trial t) {
        try (OwnedComm machine = t.world().splitType(SplitType.SHARED);
                OwnedComm reversed = machine.splitType(SplitType.SHARED, -t.rank())) {
            Check.same(Comparison.CONGRUENT, machine.compare(t.world()), "all ranks of this test");
            Check.same(t.size() - 1 - t.rank(), reversed.rank(), "rank by descending keys");
            Check.same(t.size(), reversed.allreduce(1, Op.SUM), "sum over the machine");
        }
    }

    @Contract
    public static void splitTypeOmitsRanksWithUndefined(Trial t) {
        SplitType type = t.rank() == 0 ? SplitType.UNDEFINED : SplitType.SHARED;
        try (OwnedComm machine = t.world().splitType(type, -t.rank())) {
            Check.same(t.rank() == 0 ? 0 : t.size() - 1, machine.size(), "ranks without rank 0");
            if (t.rank() == 0) {
                Check.rejects(
                        ErrorClass.ERR_COMM,
                        "barrier: this rank is not in any part of splitType (" + t.where() + ")",
                        machine::barrier);
            } else {
                Check.same(t.size() - 1 - t.rank(), machine.rank(), "rank by descending keys");
                Check.same(t.size() - 1, machine.allreduce(1, Op.SUM), "sum without rank 0");
            }
        }
        try (OwnedComm none = t.world().splitType(SplitType.UNDEFINED)) {
            Check.same(0, none.size(), "ranks when every rank passes UNDEFINED");
        }
    }

    /// All ranks of this test run on one machine, and no engine splits a communicator into parts of a machine.
    @Contract
    @SuppressWarnings("NullAway") // programs without null checks may pass null
    public static void splitTypeByHardwareStopsAtTheMachine(Trial t) {
        var machine = Map.of("mpi_hw_resource_type", "mpi_shared_memory");
        var unknown = Map.of("mpi_hw_resource_type", "no_such_resource");
        try (OwnedComm guided = t.world().splitType(SplitType.HW_GUIDED, -t.rank(), machine);
                OwnedComm other = t.world().splitType(SplitType.HW_GUIDED, 0, unknown);
                OwnedComm unnamed = t.world().splitType(SplitType.HW_GUIDED);
                OwnedComm finer = t.world().splitType(SplitType.HW_UNGUIDED)) {
            Check.same(t.size(), guided.size(), "ranks that share memory");
            Check.same(t.size() - 1 - t.rank(), guided.rank(), "rank by descending keys");
            Check.same(0, other.size(), "ranks of an unknown resource");
            Check.same(0, unnamed.size(), "ranks without the key");
            Check.same(0, finer.size(), "ranks below the machine");
        }
        Check.rejects(
                ErrorClass.ERR_ARG,
                "splitType: type is null (" + t.where() + ")",
                () -> t.world().splitType(null));
        Check.same(t.size(), t.world().allreduce(1, Op.SUM), "sum afterwards");
    }

    @Contract(minRanks = 3)
    public static void groupsOutsideTheCommunicator(Trial t) {
        Group world = t.world().group();
        try (OwnedComm part = t.world().split(t.rank() == 0 ? 0 : 1)) {
            Group different = t.rank() == 0 ? world.excl(0) : world.incl(0);
            String name = part.name();
            String where = " (rank " + part.rank() + " of " + part.size() + ", " + name + ")";
            String text = ": " + world + " has ranks that are not in " + name + ": " + different + where;
            Check.rejects(ErrorClass.ERR_GROUP, "create" + text, () -> part.create(world));
            Check.rejects(ErrorClass.ERR_GROUP, "createGroup" + text, () -> part.createGroup(world));
        }
        Group without = world.excl(t.rank());
        Check.rejects(
                ErrorClass.ERR_GROUP,
                "createGroup: this rank, world rank " + t.rank() + ", is not in " + without
                        + "; only members may call createGroup (" + t.where() + ")",
                () -> t.world().createGroup(without, 1));
        Check.rejects(
                ErrorClass.ERR_TAG,
                "createGroup: tag=-1 is not in 0 to " + t.world().tagUpperBound() + " (" + t.where() + ")",
                () -> t.world().createGroup(world, -1));
    }
}
