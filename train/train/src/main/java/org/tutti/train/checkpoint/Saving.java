package org.tutti.train.checkpoint;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.tutti.train.checkpoint.Manifest.Part;

/// One checkpoint that is being written: this rank's part, and on rank 0 then the manifest.
///
///     rank 0    part 0 ──────────────┐
///     rank 1    part 1, .written-… ──┴── all are there ── manifest ── older ones are deleted
///
/// Rank 0 looks into the directory for the parts of the others, which cannot send it messages while they
/// compute.
final class Saving {
    private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /// How much longer than this rank's part another may take, while rank 0 is not told that it is written.
    private static final int SLOWER = 10;

    /// What all ranks know of it.
    ///
    /// @param name of its files, without what comes after the step
    /// @param attempt another number for each try to save a step
    /// @param hosts of the ranks
    record Plan(long step, long number, String name, long attempt, List<String> hosts) {
        int ranks() {
            return hosts.size();
        }

        String file(int rank) {
            return Store.partName(name, rank, ranks());
        }

        String who(int rank) {
            return "rank " + rank + " on " + hosts.get(rank);
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private final Store store;
    private final Plan plan;
    private final int rank;
    private final long patienceNanos;
    private final List<Part> parts = new ArrayList<>();

    /// Empty once this rank's part is written, else what went wrong.
    private final CompletableFuture<String> own = new CompletableFuture<>();

    /// The same of the whole; on rank 0.
    private final CompletableFuture<String> all = new CompletableFuture<>();

    private volatile @Nullable Throwable cause;
    private volatile long deadline;

    /// What went wrong with older ones when this one was there.
    private volatile String notDeleted = "";

    /// What went wrong on other ranks.
    private volatile String wrongElsewhere = "";

    /// @param patienceNanos how long it may take until a file is seen that another machine has written
    Saving(Store store, Plan plan, int rank, long patienceNanos) {
        this.store = store;
        this.plan = plan;
        this.rank = rank;
        this.patienceNanos = patienceNanos;
    }

    Plan plan() {
        return plan;
    }

    /// Writes this rank's part. Throws nothing: [#own] has what went wrong.
    void writePart(Safetensors state) {
        long begin = System.nanoTime();
        own.complete(outcome(() -> {
            Part part = store.writePart(plan.file(rank), state);
            if (rank > 0) store.writeWritten(new Manifest(plan.attempt, plan.step, List.of(part)));
            parts.add(part);
        }));
        if (!own.join().isEmpty()) discard(rank);
        long end = System.nanoTime();
        deadline = end + patienceNanos + SLOWER * (end - begin);
    }

    /// Vouches for all parts, once they are there; then deletes older checkpoints. On rank 0, after its part;
    /// throws nothing: [#all] has what went wrong.
    void finish(int kept) {
        String wrong = own.join();
        Manifest manifest = new Manifest(plan.number, plan.step, parts);
        if (wrong.isEmpty()) {
            wrong = outcome(() -> {
                for (int r = 1; r < plan.ranks(); r++) parts.add(partOf(r));
                store.readBack(manifest);
                store.writeManifest(manifest);
            });
        }
        if (wrong.isEmpty()) {
            notDeleted = outcome(() -> {
                if (plan.ranks() > 1) store.deleteWritten();
                store.deleteOld(kept, manifest);
            });
        }
        if (!wrong.isEmpty()) for (int r = 0; r < plan.ranks(); r++) discard(r);
        all.complete(wrong);
    }

    /// Deletes this rank's part of a checkpoint that does not count.
    void discard() {
        own.join();
        discard(rank);
    }

    /// What cannot be deleted counts for nothing, and goes with the next checkpoint.
    private void discard(int other) {
        try {
            store.discard(plan.file(other));
        } catch (IOException e) {
            Throwable first = cause;
            if (first != null && first != e) first.addSuppressed(e);
        }
    }

    /// Tells rank 0 that all ranks have written their parts, or what went wrong.
    void othersEnded(String wrong) {
        wrongElsewhere = wrong;
        deadline = System.nanoTime() + patienceNanos;
    }

    private String outcome(Work work) {
        try {
            work.run();
            return "";
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            cause = e;
            try {
                store.deleteUnfinished(plan.file(rank));
                if (rank == 0) store.deleteUnfinished(Store.manifestName(plan.step));
            } catch (IOException also) {
                e.addSuppressed(also);
            }
            return e instanceof IOException ? String.valueOf(e.getMessage()) : e.toString();
        }
    }

    private Part partOf(int other) throws IOException {
        for (long nap = SHORTEST_NANOS; ; nap = Math.min(2 * nap, LONGEST_NANOS)) {
            Part part = store.written(plan.file(other), plan.attempt);
            if (part != null) return part;
            if (!wrongElsewhere.isEmpty()) throw new IOException(wrongElsewhere);
            if (System.nanoTime() - deadline > 0) {
                throw new IOException(plan.file(other) + ", which " + plan.who(other) + " writes, is not in "
                        + store.directory() + " of " + plan.who(0)
                        + "; parts of a checkpoint are to be in one file system that all ranks share");
            }
            LockSupport.parkNanos(nap);
        }
    }

    /// Waits until this rank's part is written; empty, or what went wrong.
    String own() {
        return own.join();
    }

    /// Waits until the checkpoint counts, on rank 0; empty, or what went wrong.
    String all() {
        return all.join();
    }

    /// After [#all]: empty, or what went wrong with the deletion of older ones.
    String notDeleted() {
        return notDeleted;
    }

    /// Whether the checkpoint does not count; on rank 0, after [#all].
    boolean isLost() {
        return !all.join().isEmpty();
    }

    /// This rank, for messages.
    String who() {
        return plan.who(rank);
    }

    @Nullable
    Throwable cause() {
        return cause;
    }
}
