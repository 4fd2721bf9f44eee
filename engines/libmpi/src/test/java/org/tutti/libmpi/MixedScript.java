package org.tutti.libmpi;

import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;

/// The common actions of all programs in a mixed job, in any language: every collective operation, blocking and
/// nonblocking, messages around the ring, and communicators created in each way.
final class MixedScript {
    private static final List<String> OPERATIONS = List.of(
            "bcast",
            "gather",
            "scatter",
            "allgather",
            "alltoall",
            "reduce",
            "allreduce",
            "reduceScatterBlock",
            "scan",
            "exscan");
    private static final int[] COUNTS = {1, 5000};

    private final Ranks ranks;
    private final int me;
    private final int n;

    private MixedScript(Ranks ranks) {
        this.ranks = ranks;
        me = ranks.rank();
        n = ranks.size();
    }

    /// A communicator in one of the programs.
    interface Ranks {
        int rank();

        int size();

        /// Makes the call of this name and waits for completion. The arrays have the lengths that this rank
        /// needs.
        void collective(String name, boolean nonblocking, int[] send, int[] recv, int root);

        void sendAndReceive(int[] send, int dest, int[] recv, int source, int tag);

        Ranks split(int color, int key);

        Ranks dup();

        Ranks splitShared();

        void free();
    }

    /// Executes all actions on the world and on derived communicators. Does not end the program.
    static void run(Ranks world) {
        new MixedScript(world).all(COUNTS);
        Ranks copy = world.dup();
        new MixedScript(copy).all(3);
        copy.free();
        Ranks reversed = world.split(3, world.size() - world.rank());
        check("rank in reverse", new int[] {reversed.rank()}, i -> world.size() - 1 - world.rank());
        new MixedScript(reversed).all(3);
        reversed.free();
        Ranks node = world.splitShared();
        check("size of the machine's part", new int[] {node.size()}, i -> world.size());
        new MixedScript(node).all(3);
        node.free();
    }

    private void all(int... counts) {
        ranks.collective("barrier", false, new int[0], new int[0], 0);
        ranks.collective("barrier", true, new int[0], new int[0], 0);
        for (int count : counts) {
            ring(count);
            for (int i = 0; i < OPERATIONS.size(); i++) {
                for (boolean nonblocking : new boolean[] {false, true}) {
                    operate(OPERATIONS.get(i), nonblocking, count, (i + count) % n);
                }
            }
        }
    }

    private void ring(int count) {
        int[] in = new int[count];
        int left = (me + n - 1) % n;
        ranks.sendAndReceive(mine(count), (me + 1) % n, in, left, 5);
        check("ring", in, i -> value(left, i));
    }

    private void operate(String name, boolean nonblocking, int count, int root) {
        boolean many = List.of("scatter", "alltoall", "reduceScatterBlock").contains(name);
        boolean toMany = List.of("gather", "allgather", "alltoall").contains(name);
        int[] send = mine(many ? n * count : count);
        int[] recv = new int[toMany ? n * count : count];
        if (name.equals("bcast")) recv = me == root ? send : recv;
        ranks.collective(name, nonblocking, send, recv, root);
        if (List.of("gather", "reduce").contains(name) && me != root || name.equals("exscan") && me == 0) return;
        int at = me * count;
        check(
                (nonblocking ? "i" : "") + name + " of " + count,
                recv,
                switch (name) {
                    case "bcast" -> i -> value(root, i);
                    case "gather", "allgather" -> i -> value(i / count, i % count);
                    case "scatter" -> i -> value(root, at + i);
                    case "alltoall" -> i -> value(i / count, at + i % count);
                    case "reduce", "allreduce" -> i -> sum(n, i);
                    case "reduceScatterBlock" -> i -> sum(n, at + i);
                    case "scan" -> i -> sum(me + 1, i);
                    case "exscan" -> i -> sum(me, i);
                    default -> throw new IllegalArgumentException(name);
                });
    }

    private int[] mine(int length) {
        int[] values = new int[length];
        Arrays.setAll(values, i -> value(me, i));
        return values;
    }

    private static int value(int rank, int i) {
        return 100_000 * (rank + 1) + i;
    }

    private static int sum(int ranks, int i) {
        int sum = 0;
        for (int r = 0; r < ranks; r++) sum += value(r, i);
        return sum;
    }

    private static void check(String text, int[] got, IntUnaryOperator expected) {
        for (int i = 0; i < got.length; i++) {
            if (got[i] != expected.applyAsInt(i)) {
                throw new AssertionError(text + "[" + i + "] is " + got[i] + ", not " + expected.applyAsInt(i));
            }
        }
    }
}
