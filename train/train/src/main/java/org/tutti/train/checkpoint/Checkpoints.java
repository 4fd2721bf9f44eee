package org.tutti.train.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.ref.Cleaner;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.Host;
import org.tutti.train.ProcessGroup;
import org.tutti.train.checkpoint.Saving.Plan;

/// The checkpoints of a run, in a separate directory.
///
///     step-000000001200.safetensors   the tensors
///     step-000000001200.json          step, sequence number, and length and SHA-256 of that file; written last
///
/// If each rank writes a part, the tensors are in `step-000000001200.0-of-4.safetensors` and so on, and a single
/// manifest covers all parts.
///
/// The newest checkpoint is the last one written, not the one with the highest step. A run that starts from the
/// beginning, or from an earlier step, in a directory with higher steps therefore resumes from checkpoints that
/// it has written.
///
/// Each file is written under a temporary name, forced to disk and renamed. If the process is killed at any
/// moment, or the disk is full, the older checkpoints remain intact; files may be left over, and are ignored.
///
///     checkpoints.save(step, state)                 on return it is on disk
///     checkpoints.saveAsync(step, state)            a thread writes it while training continues
///     checkpoints.save(step, part, group)           the same by all ranks, each with a part
///     checkpoints.saveAsync(step, part, group)
///
/// Only one job may write to a directory. A file `.lock` excludes other jobs until this object is closed or the
/// process ends.
///
/// Only one checkpoint is written at a time: the next operation waits for the previous [#saveAsync], and throws
/// if it has failed. This object must be closed if [#saveAsync] is used.
public final class Checkpoints implements AutoCloseable {
    /// A metadata key that marks a part of a checkpoint. [#save(long, Safetensors)] refuses a state with this
    /// key, because a part cannot be saved by a single rank.
    public static final String PART = "part";

    /// Suffix of rank 0's message if the checkpoint is not valid.
    private static final String LOST = "\0";

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final Store store;
    private final int kept;
    private final long patienceNanos;
    private final StagingMemory staging = new StagingMemory();
    private @Nullable Pending pending;
    private Cleaner.@Nullable Cleanable lock;

    /// @param group null if this process writes the complete checkpoint
    private record Pending(Saving saving, @Nullable ProcessGroup group) {}

    /// A valid checkpoint.
    ///
    /// @param files one file, or one for each rank that has saved a part
    /// @param skipped newer checkpoints that are damaged, and checkpoints of unknown age that are unreadable,
    ///     each with the reason
    public record FoundCheckpoint(long step, List<Path> files, List<String> skipped) {
        /// Maps all files. The tensors can be read, but not written, until the arena is closed.
        public Safetensors read(Arena arena) throws IOException {
            List<Safetensors> parts = new ArrayList<>();
            for (Path file : files) parts.add(Safetensors.read(file, arena));
            return Safetensors.joined(parts);
        }
    }

    private Checkpoints(Path directory, int kept, long patienceNanos) {
        this.store = new Store(directory);
        this.kept = kept;
        this.patienceNanos = patienceNanos;
    }

    /// Opens `directory`, or creates it if it does not exist. By default, the three newest checkpoints are
    /// retained.
    public static Checkpoints open(Path directory) throws IOException {
        Files.createDirectories(directory);
        return new Checkpoints(directory, 3, PATIENCE_NANOS);
    }

    /// Returns the checkpoints of this directory with a different limit: [#save] deletes all except the
    /// `newest` most recent valid checkpoints.
    public Checkpoints withMaxToKeep(int newest) {
        if (newest < 1) throw new IllegalArgumentException("to keep " + newest + " checkpoints; at least 1");
        return new Checkpoints(store.directory(), newest, patienceNanos);
    }

    /// Sets the time after which a file from a remote machine is considered missing.
    Checkpoints patience(long nanos) {
        return new Checkpoints(store.directory(), kept, nanos);
    }

    /// Writes a checkpoint. On return the checkpoint is on disk. The first call in a process also reads the
    /// retained older checkpoints.
    ///
    /// @throws IOException if it could not be written, in which case the message states the newest existing
    ///     checkpoint, or if older ones could not be deleted
    public Path save(long step, Safetensors state) throws IOException {
        Saving saving = begin(step, state);
        saving.writePart(state);
        saving.finish(kept);
        end(saving);
        return store.directory().resolve(saving.plan().file(0));
    }

    /// As [#save(long, Safetensors)], on a separate thread: returns after the tensors have been copied to
    /// memory that the next save reuses, and training continues. If the process ends first, the checkpoint is
    /// ignored.
    ///
    /// @throws IOException if the previous checkpoint could not be written; then this one is not started
    public void saveAsync(long step, Safetensors state) throws IOException {
        Saving saving = begin(step, state);
        start(saving, state, null, true);
    }

    private Saving begin(long step, Safetensors state) throws IOException {
        check(step);
        await();
        lock();
        store.deleteLeft();
        String part = state.metadata().get(PART);
        if (part != null) {
            throw new IllegalArgumentException("part " + part + " of the state of step " + step
                    + " cannot be saved by one rank; save the parts of all ranks with save(step, part, group)");
        }
        return new Saving(store, plan(step, List.of(Host.name())), 0, patienceNanos);
    }

    /// Prevents other processes from writing checkpoints to this directory until this object is closed.
    private void lock() throws IOException {
        if (lock == null) lock = DirectoryLock.acquire(store.directory(), this);
    }

    private static void check(long step) {
        if (step < 0) throw new IllegalArgumentException("a checkpoint of step " + step);
    }

    private Plan plan(long step, List<String> hosts) throws IOException {
        List<Store.Entry> older = store.entries();
        long number = older.isEmpty() ? 1 : older.getFirst().number() + 1;
        // the files of an older checkpoint of that step are not modified
        boolean isThere = older.stream().anyMatch(e -> e.step() == step);
        String name = Store.stepName(step) + (isThere ? "-" + number : "");
        return new Plan(step, number, name, ThreadLocalRandom.current().nextLong(), hosts);
    }

    /// As [#save(long, Safetensors)], but each rank writes a part. All ranks call it, with the same directory
    /// on a shared file system.
    ///
    /// @param part this rank's part of the state; the parts of different ranks have different tensors
    /// @throws IOException on all ranks, if a rank could not write its part
    public void save(long step, Safetensors part, ProcessGroup group) throws IOException {
        Saving saving = begin(step, group);
        saving.writePart(part);
        end(saving, group, true);
    }

    /// As [#save(long, Safetensors, ProcessGroup)], on a separate thread in each rank. The checkpoint becomes
    /// valid as soon as all parts are on disk; this requires no call, so it can happen while ranks compute.
    ///
    /// @throws IOException on all ranks, if the previous checkpoint could not be written; then this one is not
    ///     started
    public void saveAsync(long step, Safetensors part, ProcessGroup group) throws IOException {
        Saving saving = begin(step, group);
        start(saving, part, group, group.rank() == 0);
    }

    /// Distributes rank 0's plan to all ranks.
    private Saving begin(long step, ProcessGroup group) throws IOException {
        check(step);
        await();
        store.deleteLeft(); // before any rank writes
        List<String> hosts = group.allgather(Host.name());
        String fromRank0 = "";
        if (group.rank() == 0) {
            try {
                lock();
                Plan p = plan(step, hosts);
                fromRank0 = p.number() + " " + p.attempt() + " " + p.name();
            } catch (IOException | RuntimeException e) {
                fromRank0 = "!" + (e instanceof FileSystemException ? e : e.getMessage());
            }
        }
        fromRank0 = group.allgather(fromRank0).getFirst();
        if (fromRank0.startsWith("!"))
            throw new IOException("rank 0 cannot save step " + step + ": " + fromRank0.substring(1));
        String[] words = fromRank0.split(" ", 3);
        Plan plan = new Plan(step, Long.parseLong(words[0]), words[2], Long.parseLong(words[1]), hosts);
        return new Saving(store, plan, group.rank(), patienceNanos);
    }

    private void start(Saving saving, Safetensors state, @Nullable ProcessGroup group, boolean finishes) {
        Safetensors copy = staging.copy(state);
        Thread.ofPlatform()
                .daemon()
                .name("checkpoint of step " + saving.plan().step())
                .start(() -> {
                    saving.writePart(copy);
                    if (finishes) saving.finish(kept);
                });
        pending = new Pending(saving, group);
    }

    /// Waits until the checkpoint of [#saveAsync] is on disk. If all ranks have started the checkpoint
    /// together, all ranks call this method.
    ///
    /// @throws IOException if it could not be written, as [#save]
    public void await() throws IOException {
        Pending last = pending;
        if (last == null) return;
        pending = null;
        if (last.group == null) end(last.saving);
        else end(last.saving, last.group, false);
    }

    private void end(Saving saving) throws IOException {
        String message = message(saving, saving.all());
        if (!message.isEmpty()) throw new IOException(message, saving.cause());
    }

    /// @param finishes whether rank 0 writes the manifest in this call, and not on a separate thread
    private void end(Saving saving, ProcessGroup group, boolean finishes) throws IOException {
        List<String> parts = group.allgather(saving.own());
        List<String> wrongs = new ArrayList<>();
        for (int r = 0; r < parts.size(); r++) {
            if (!parts.get(r).isEmpty()) wrongs.add(saving.plan().rankName(r) + ": " + parts.get(r));
        }
        String message = "";
        if (group.rank() == 0) {
            saving.finishAll(String.join("; ", wrongs));
            if (finishes) saving.finish(kept);
            String wrong = saving.all();
            message = message(saving, wrongs.isEmpty() ? wrong : String.join("; ", wrongs));
        }
        List<String> messages = group.allgather(message + (group.rank() == 0 && saving.isLost() ? LOST : ""));
        message = messages.getFirst();
        if (message.isEmpty()) return;
        if (message.endsWith(LOST)) {
            saving.discard(); // a rank may have written a part after rank 0 deleted all parts
            message = message.substring(0, message.length() - LOST.length());
        }
        throw new IOException(message, saving.cause());
    }

    /// Returns the message to throw; empty on success.
    private String message(Saving saving, String wrong) {
        if (wrong.isEmpty()) {
            String notDeleted = saving.notDeleted();
            if (notDeleted.isEmpty()) return "";
            return "the checkpoint of step " + saving.plan().step() + " was written to " + store.directory()
                    + ", and older ones could not be deleted: " + notDeleted;
        }
        String newest;
        try {
            List<String> skipped = new ArrayList<>();
            Manifest found = find(skipped);
            if (found != null) newest = "the newest is of step " + found.step();
            else newest = skipped.isEmpty() ? "no older one exists" : "no other one is complete";
        } catch (IOException e) {
            newest = "the other checkpoints cannot be read: " + e.getMessage();
        }
        return "the checkpoint of step " + saving.plan().step() + " was not written to " + store.directory() + ": "
                + wrong + "; " + newest;
    }

    /// Waits until the checkpoint of [#saveAsync] is on disk. Does not communicate, so it can also be called
    /// after an exception.
    ///
    /// @throws IOException if it could not be written, as [#save]
    @Override
    public void close() throws IOException {
        try {
            Pending last = pending;
            if (last == null) return;
            pending = null;
            String wrong = last.saving.own();
            if (!wrong.isEmpty() && last.group != null) wrong = last.saving.rankName() + ": " + wrong;
            if (wrong.isEmpty() && (last.group == null || last.group.rank() == 0)) wrong = last.saving.all();
            String message = message(last.saving, wrong);
            if (!message.isEmpty()) throw new IOException(message, last.saving.cause());
        } finally {
            if (lock != null) lock.clean();
            lock = null;
        }
    }

    /// Returns the newest valid checkpoint: all files exist, with the recorded lengths and checksums. Returns
    /// null if the directory has no checkpoints. Reads each of these files completely, to check it.
    ///
    /// @throws CheckpointException if the directory has checkpoints, but none is valid; the message lists all
    ///     checkpoints
    public @Nullable FoundCheckpoint findNewest() throws IOException {
        List<String> skipped = new ArrayList<>();
        Manifest found = whole(skipped);
        return found == null ? null : new FoundCheckpoint(found.step(), store.files(found), skipped);
    }

    /// As [#findNewest], but returns the manifest.
    private @Nullable Manifest whole(List<String> skipped) throws IOException {
        Manifest found = find(skipped);
        if (found == null && !skipped.isEmpty()) {
            throw new CheckpointException("none of the " + skipped.size() + " checkpoints in " + store.directory()
                    + " is complete: " + String.join("; ", skipped)
                    + "; to start from the beginning, use a different directory or delete these");
        }
        return found;
    }

    /// As [#findNewest], but also returns null if no checkpoint is valid. Adds the invalid ones to `skipped`.
    private @Nullable Manifest find(List<String> skipped) throws IOException {
        Manifest found = null;
        for (Store.Entry e : store.entries()) {
            Manifest m = e.manifest();
            if (found != null && m != null) continue;
            String wrong = m == null ? e.wrong() : store.damage(m);
            if (m != null && wrong == null) found = m;
            else skipped.add(e.path().getFileName() + ": " + wrong);
        }
        return found;
    }

    /// The state from which a run continues.
    ///
    /// @param step after which it was saved
    /// @param skipped newer checkpoints that are damaged, and checkpoints of unknown age that are unreadable,
    ///     each with the reason
    public record LoadedCheckpoint(long step, Safetensors state, List<String> skipped) {}

    /// Returns the newest valid checkpoint in rank 0's directory; null if the directory has no checkpoints. All
    /// ranks call this method.
    ///
    /// Every rank maps the files, and reads only the tensors it uses. If the directory of a rank on a different
    /// machine does not have the files, rank 0 sends the contents, and the rank writes and maps temporary
    /// files. The files are deleted immediately after mapping, and the disk space is freed when the arena is
    /// closed.
    ///
    /// @param arena the lifetime of the tensors, which are read-only
    /// @throws IOException on all ranks, if rank 0 cannot read the directory, if the directory has checkpoints,
    ///     but none is valid, or if a rank cannot write its copy
    public @Nullable LoadedCheckpoint loadNewest(ProcessGroup group, Arena arena) throws IOException {
        await();
        List<String> lines = new ArrayList<>();
        try {
            List<String> skipped = new ArrayList<>();
            Manifest found = group.rank() == 0 ? whole(skipped) : null;
            if (found != null) lines.add(new String(found.text(), UTF_8));
            if (found != null) lines.addAll(skipped);
        } catch (IOException | UncheckedIOException e) {
            lines.add("!" + e);
        }
        String fromRank0 = group.allgather(String.join("\n", lines)).getFirst();
        if (fromRank0.isEmpty()) return null;
        if (fromRank0.startsWith("!"))
            throw new IOException("rank 0 cannot read " + store.directory() + ": " + fromRank0.substring(1));
        lines = Arrays.asList(fromRank0.split("\n"));
        Manifest manifest = Manifest.parse(lines.getFirst().getBytes(UTF_8));
        boolean has = new CheckpointCopies(group, store).has(manifest);
        boolean allHave = group.sum(has ? 1 : 0) == group.size();
        Safetensors state = allHave
                ? new FoundCheckpoint(manifest.step(), store.files(manifest), List.of()).read(arena)
                : new CheckpointTransfer(group, store, has).read(manifest, arena);
        return new LoadedCheckpoint(manifest.step(), state, List.copyOf(lines.subList(1, lines.size())));
    }
}
