/*
 * Solves the knapsack problem by branch and bound: results create new tasks, and free workers take the next task.
 *
 * Each task searches a part of the tree. It returns the nodes below this part that can lead to a better solution
 * than the best solution known at the start of the task.
 *
 *     ./tutti run -n 3 --pool examples/FuturesKnapsack.java
 *
 *     of weight 300 the best is worth 2207
 */

import org.tutti.futures.*;

static final int[] WEIGHTS = {12, 31, 44, 23, 57, 36, 18, 65, 27, 49, 52, 33, 40, 21, 61, 16, 38, 29};
static final int[] WORTHS = {92, 187, 320, 171, 374, 261, 140, 431, 203, 347, 342, 245, 292, 150, 407, 121, 263, 212};
static final int CAPACITY = 300, DEPTH = 6;

/** A choice of the first `depth` items; no node below this node is worth more than `bound`. */
record Node(int depth, int weight, int worth, double bound) {}

/** The upper bound assumes that the remaining items are divisible and all have the best ratio of worth to weight. */
static Node node(int depth, int weight, int worth) {
    double rate = 0;
    for (int i = depth; i < WEIGHTS.length; i++) rate = Math.max(rate, (double) WORTHS[i] / WEIGHTS[i]);
    return new Node(depth, weight, worth, worth + rate * (CAPACITY - weight));
}

/** Returns the nodes some levels below, without nodes that cannot exceed the best known worth. */
static List<Node> expand(Node from, int best) {
    List<Node> level = List.of(from);
    int end = Math.min(from.depth() + DEPTH, WEIGHTS.length);
    for (int i = from.depth(); i < end; i++) {
        List<Node> next = new ArrayList<>();
        for (Node n : level) {
            next.add(node(i + 1, n.weight(), n.worth()));
            int heavier = n.weight() + WEIGHTS[i];
            if (heavier <= CAPACITY) next.add(node(i + 1, heavier, n.worth() + WORTHS[i]));
        }
        next.removeIf(n -> n.bound() <= best && n.depth() < WEIGHTS.length);
        level = next;
    }
    return level;
}

void main() throws Exception {
    RankPool.run(pool -> {
        int best = 0;
        RankCompletionService<List<Node>> open = pool.completionService();
        open.submit(n -> expand(n, 0), node(0, 0, 0));
        while (open.pending() > 0) {
            for (Node n : open.take().get()) {
                best = Math.max(best, n.worth());
                int known = best; // captured variables must not change
                if (n.depth() < WEIGHTS.length && n.bound() > known) open.submit(m -> expand(m, known), n);
            }
        }
        IO.println("of weight %d the best is worth %d".formatted(CAPACITY, best));
    });
}
