package org.tutti.train.checkpoint;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.tutti.train.checkpoint.Manifest.Part;

/// A checkpoint in progress: this rank's part and, on rank 0, the manifest, which follows the parts.
///
///     rank 0    part 0 ──────────────┐
///     rank 1    part 1, .written-… ──┴── all parts exist ── manifest ── older ones are deleted
///
/// Ranks cannot send messages while they compute, so rank 0 polls the directory for the parts of the other
/// ranks.
final class Saving {
    private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /// Factor of the deadline. Rank 0, which gets no messages from the other ranks while they write, waits for
    /// their parts for this multiple of the time that part 0 required, plus the time for files to become
    /// visible.
    private static final int SLOWER = 10;

    /// The values that describe how a checkpoint is saved; all ranks have the same values.
    ///
    /// @param name the first part of the names of all files of tensors: `step-` and the number of the step, and
    ///     a sequence number if the directory already has a checkpoint of this step
    /// @param attempt unique for each attempt to save a step
    /// @param hosts of the ranks
    record Plan(long step, long number, String name, long attempt, List<String> hosts) {
        int ranks() {
            return hosts.size();
        }

        String file(int rank) {
            return Store.partName(name, rank, ranks());
        }

        String rankName(int rank) {
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

    /// The result of writing this rank's part: an empty string, or the error.
    private final CompletableFuture<String> own = new CompletableFuture<>();

    /// The result for the complete checkpoint, in the same form; only on rank 0.
    private final CompletableFuture<String> all = new CompletableFuture<>();

    private volatile @Nullable Throwable cause;
    private volatile long deadline;

    /// The error of the deletion of older checkpoints, which follows when this one is complete; empty if none.
    private volatile String notDeleted = "";

    /// The errors of other ranks.
    private volatile String wrongElsewhere = "";

    /// @param patienceNanos maximum time until a file from a remote machine becomes visible
    Saving(Store store, Plan plan, int rank, long patienceNanos) {
        this.store = store;
        this.plan = plan;
        this.rank = rank;
        this.patienceNanos = patienceNanos;
    }

    Plan plan() {
        return plan;
    }

    /// Writes this rank's part. Does not throw: [#own] returns the error.
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

    /// Writes the manifest after all parts exist; then deletes older checkpoints. Called on rank 0, after the
    /// rank's part; does not throw: [#all] returns the error.
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

    /// Deletes this rank's part of an invalid checkpoint.
    void discard() {
        own.join();
        discard(rank);
    }

    /// Deletes a rank's part of an invalid checkpoint. A file that cannot be deleted is no error; the deletion
    /// after the next checkpoint includes the file.
    private void discard(int other) {
        try {
            store.discard(plan.file(other));
        } catch (IOException e) {
            Throwable first = cause;
            if (first != null && first != e) first.addSuppressed(e);
        }
    }

    /// Called on rank 0 when the results of all ranks are known. `wrong` contains the errors, and is empty if
    /// all ranks have written the parts.
    void finishAll(String wrong) {
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
        for (long pause = SHORTEST_NANOS; ; pause = Math.min(2 * pause, LONGEST_NANOS)) {
            Part part = store.written(plan.file(other), plan.attempt);
            if (part != null) return part;
            if (!wrongElsewhere.isEmpty()) throw new IOException(wrongElsewhere);
            if (System.nanoTime() - deadline > 0) {
                throw new IOException(plan.file(other) + ", which " + plan.rankName(other) + " writes, is not in "
                        + store.directory() + " of " + plan.rankName(0)
                        + "; the parts of a checkpoint must be in one file system that all ranks share");
            }
            LockSupport.parkNanos(pause);
        }
    }

    /// Waits until this rank's part is written; returns an empty string, or the error.
    String own() {
        return own.join();
    }

    /// Called on rank 0. Waits until the complete checkpoint is valid, or has failed; returns an empty string,
    /// or the error.
    String all() {
        return all.join();
    }

    /// Returns an empty string, or the error of the deletion of older checkpoints. Call it after [#all].
    String notDeleted() {
        return notDeleted;
    }

    /// Called on rank 0, after [#all]. Returns whether the checkpoint is invalid.
    boolean isLost() {
        return !all.join().isEmpty();
    }

    /// Returns the name of this rank for messages.
    String rankName() {
        return plan.rankName(rank);
    }

    @Nullable
    Throwable cause() {
        return cause;
    }
}
