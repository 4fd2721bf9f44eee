package org.tutti.conformance.random;

/// Short collective calls in rapid sequence, without a call that synchronizes all ranks: a fast rank can be
/// several calls ahead of a slow rank.
final class Burst {
    private static final int MOST_CALLS = 100, MOST_KINDS = 5, MOST_ELEMENTS = 40;

    private final Step step;
    private final CollectiveStep[] kinds;
    private final int calls;

    Burst(Step step) {
        this.step = step;
        calls = step.shared().nextInt(1, MOST_CALLS);
        kinds = new CollectiveStep[step.shared().nextInt(1, MOST_KINDS + 1)];
        for (int i = 0; i < kinds.length; i++) kinds[i] = new CollectiveStep(step.part(i), MOST_ELEMENTS);
    }

    void run() {
        begin();
        finish();
    }

    /// Starts all calls. A call ends at the latest when the next call of the same kind starts, so afterwards
    /// one call of each kind may be active.
    void begin() {
        for (int i = 0; i < calls; i++) {
            CollectiveStep call = kinds[step.shared().nextInt(kinds.length)];
            call.finish();
            call.start();
        }
    }

    void finish() {
        for (int i : step.order(kinds.length)) kinds[i].finish();
        for (CollectiveStep call : kinds) call.close();
    }
}
