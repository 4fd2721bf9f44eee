package org.tutti.conformance.contract.intercomm;

import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Intercomm;
import org.tutti.mpi.OwnedComm;

/// An intercommunicator of two groups of the world's ranks, from the view of this rank.
///
/// @param mine the world ranks of the local group, in group order
/// @param theirs the world ranks of the remote group
/// @param low whether the local group is the first group of the shape
record TwoGroups(Intercomm both, OwnedComm local, int[] mine, int[] theirs, boolean low) {
    /// A property of an intercommunicator.
    @FunctionalInterface
    interface Fact {
        void on(TwoGroups g) throws Exception;
    }

    /// Defines the ranks of the first and the second group; other ranks are in neither. The leaders are the
    /// last rank of the first group and the first rank of the second.
    private record Shape(int least, IntPredicate first, IntPredicate second) {}

    private static List<Shape> shapes(int n) {
        return List.of(
                new Shape(2, r -> r % 2 == 0, r -> r % 2 == 1),
                new Shape(2, r -> r == n - 1, r -> r < n - 1),
                new Shape(3, r -> r == 0, r -> r > 1),
                new Shape(4, r -> r == 1 || r == 3, r -> r == 0));
    }

    /// Runs the test `fact` with an intercommunicator of each shape, on every rank of the two groups.
    static void each(Trial t, Fact fact) throws Exception {
        int tag = 0;
        for (Shape shape : shapes(t.size())) if (t.size() >= shape.least) on(t, shape, tag++, fact);
    }

    private static void on(Trial t, Shape shape, int tag, Fact fact) throws Exception {
        boolean low = shape.first.test(t.rank());
        boolean high = shape.second.test(t.rank());
        try (OwnedComm local = t.world().split(low ? 0 : high ? 1 : Comm.UNDEFINED, t.rank())) {
            if (!low && !high) return;
            int[] first = IntStream.range(0, t.size()).filter(shape.first).toArray();
            int[] second = IntStream.range(0, t.size()).filter(shape.second).toArray();
            int leader = low ? local.size() - 1 : 0;
            int other = low ? second[0] : first[first.length - 1];
            boolean leads = local.rank() == leader;
            // only the leader passes the remote leader
            try (Intercomm both = local.intercomm(leader, leads ? t.world() : null, leads ? other : -9, tag)) {
                fact.on(new TwoGroups(both, local, low ? first : second, low ? second : first, low));
            }
        }
    }

    int rank() {
        return both.rank();
    }

    int size() {
        return both.size();
    }

    int remoteSize() {
        return theirs.length;
    }

    /// Returns the `root` argument of this rank if the root is rank `root` of the first group (`inFirst`), or
    /// of the second.
    int root(boolean inFirst, int root) {
        if (inFirst != low) return root;
        return rank() == root ? Comm.ROOT : Comm.PROC_NULL;
    }

    /// Returns the rank and the communicator in the form used by error texts.
    String where() {
        return "rank " + rank() + " of " + size() + " and " + remoteSize() + " remote, " + both.name();
    }
}
