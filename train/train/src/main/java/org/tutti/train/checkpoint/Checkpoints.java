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

/// The checkpoints of a run, in a directory of their own.
///
///     step-000000001200.safetensors   the tensors
///     step-000000001200.json          step, length and SHA-256 of that file, and its sequence number; written last
///
/// Where each rank writes a part, the tensors are in `step-000000001200.0-of-4.safetensors` and so on, and the
/// one manifest vouches for all of them.
///
/// The newest is the one that was written last: a run that begins anew, or farther back, in a directory
/// with higher steps goes on from its own.
///
/// Each file is written under another name, forced to the disk and renamed, so a process that is killed at
/// any moment, or a full disk, leaves the older checkpoints and perhaps files that count for nothing.
///
///     checkpoints.save(step, state)                 on return it is on the disk
///     checkpoints.saveAsync(step, state)            a thread writes it while training goes on
///     checkpoints.save(step, part, group)           the same by all ranks, each its part
///     checkpoints.saveAsync(step, part, group)
///
/// One job writes into a directory: a file `.lock` keeps out another one until this is closed, or the process ends.
///
/// One is written at a time: whatever comes next waits for what [#saveAsync] has begun, and throws what went
/// wrong with it. To be closed where that is used.
public final class Checkpoints implements AutoCloseable {
    /// A text of the metadata of a state that is a part of a checkpoint, which no rank saves alone.
    public static final String PART = "part";

    /// Ends the message of a checkpoint that was not written.
    private static final String LOST = "\0";

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final Store store;
    private final int kept;
    private final long patienceNanos;
    private final StagingMemory staging = new StagingMemory();
    private @Nullable Pending pending;
    private Cleaner.@Nullable Cleanable lock;

    /// @param group null where this process writes all of it
    private record Pending(Saving saving, @Nullable ProcessGroup group) {}

    /// A checkpoint that is whole.
    ///
    /// @param files one, or one by each rank that has saved it
    /// @param skipped newer ones that are not, and those of which nobody can tell, each with what is wrong
    public record FoundCheckpoint(long step, List<Path> files, List<String> skipped) {
        /// Reads all of it, by mapping: the tensors can be read as long as the arena lives, and not written.
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

    /// In `directory`, which is made when it is not there; the three newest are kept.
    public static Checkpoints open(Path directory) throws IOException {
        Files.createDirectories(directory);
        return new Checkpoints(directory, 3, PATIENCE_NANOS);
    }

    /// Returns the checkpoints of this directory, of which the `newest` whole ones are kept: [#save] deletes older
    /// ones.
    public Checkpoints withMaxToKeep(int newest) {
        if (newest < 1) throw new IllegalArgumentException("to keep " + newest + " checkpoints; at least 1");
        return new Checkpoints(store.directory(), newest, patienceNanos);
    }

    /// As long until a file is missed that another machine has written.
    Checkpoints patience(long nanos) {
        return new Checkpoints(store.directory(), kept, nanos);
    }

    /// Writes one. On return it is on the disk, and stays there until newer ones are. The first time in a
    /// process it reads the older ones that it keeps, too.
    ///
    /// @throws IOException naming the newest checkpoint that is there, when it could not be written
    public Path save(long step, Safetensors state) throws IOException {
        Saving saving = begin(step, state);
        saving.writePart(state);
        saving.finish(kept);
        end(saving);
        return store.directory().resolve(saving.plan().file(0));
    }

    /// As [#save(long, Safetensors)], on a thread of its own: returns as soon as the tensors are copied, to
    /// memory that the next one uses again, and training goes on. If the process ends first, the checkpoint
    /// does not count.
    ///
    /// @throws IOException when the one before could not be written; then this one is not begun
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
                    + " is to be saved alone; all ranks save theirs: save(step, part, group)");
        }
        return new Saving(store, plan(step, List.of(Host.name())), 0, patienceNanos);
    }

    /// Until this is closed, no other process writes checkpoints here.
    private void lock() throws IOException {
        if (lock == null) lock = DirectoryLock.acquire(store.directory(), this);
    }

    private static void check(long step) {
        if (step < 0) throw new IllegalArgumentException("a checkpoint of step " + step);
    }

    private Plan plan(long step, List<String> hosts) throws IOException {
        List<Store.Entry> older = store.entries();
        long number = older.isEmpty() ? 1 : older.getFirst().number() + 1;
        // the files of an older one of that step are not touched
        boolean isThere = older.stream().anyMatch(e -> e.step() == step);
        String name = Store.stepName(step) + (isThere ? "-" + number : "");
        return new Plan(step, number, name, ThreadLocalRandom.current().nextLong(), hosts);
    }

    /// As [#save(long, Safetensors)], of which each rank writes a part. All ranks call it, in directories that
    /// are one on a file system that they share.
    ///
    /// @param part of the state; the other parts have other tensors
    /// @throws IOException on all ranks, when one could not write its part
    public void save(long step, Safetensors part, ProcessGroup group) throws IOException {
        Saving saving = begin(step, group);
        saving.writePart(part);
        end(saving, group, true);
    }

    /// As [#save(long, Safetensors, ProcessGroup)], on a thread of its own in each rank. The checkpoint counts
    /// as soon as all parts are on the disk, be ranks computing or not.
    ///
    /// @throws IOException on all ranks, when the one before could not be written; then this one is not begun
    public void saveAsync(long step, Safetensors part, ProcessGroup group) throws IOException {
        Saving saving = begin(step, group);
        start(saving, part, group, group.rank() == 0);
    }

    /// What rank 0 intends, on all ranks.
    private Saving begin(long step, ProcessGroup group) throws IOException {
        check(step);
        await();
        store.deleteLeft(); // before any rank writes
        List<String> hosts = group.allgather(Host.name());
        String said = "";
        if (group.rank() == 0) {
            try {
                lock();
                Plan p = plan(step, hosts);
                said = p.number() + " " + p.attempt() + " " + p.name();
            } catch (IOException | RuntimeException e) {
                said = "!" + (e instanceof FileSystemException ? e : e.getMessage());
            }
        }
        said = group.allgather(said).getFirst();
        if (said.startsWith("!")) throw new IOException("rank 0 cannot save step " + step + ": " + said.substring(1));
        String[] words = said.split(" ", 3);
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

    /// Waits until what [#saveAsync] has begun is on the disk. All ranks call it, if all have begun it.
    ///
    /// @throws IOException when it could not be written, as [#save]
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

    /// @param finishes whether rank 0 writes the manifest now, and not on a thread
    private void end(Saving saving, ProcessGroup group, boolean finishes) throws IOException {
        List<String> parts = group.allgather(saving.own());
        List<String> wrongs = new ArrayList<>();
        for (int r = 0; r < parts.size(); r++) {
            if (!parts.get(r).isEmpty()) wrongs.add(saving.plan().who(r) + ": " + parts.get(r));
        }
        String message = "";
        if (group.rank() == 0) {
            saving.othersEnded(String.join("; ", wrongs));
            if (finishes) saving.finish(kept);
            String wrong = saving.all();
            message = message(saving, wrongs.isEmpty() ? wrong : String.join("; ", wrongs));
        }
        List<String> messages = group.allgather(message + (group.rank() == 0 && saving.isLost() ? LOST : ""));
        message = messages.getFirst();
        if (message.isEmpty()) return;
        if (message.endsWith(LOST)) {
            saving.discard(); // a rank may have written its part after rank 0 deleted all of them
            message = message.substring(0, message.length() - LOST.length());
        }
        throw new IOException(message, saving.cause());
    }

    /// What to throw; empty when all went well.
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
            else newest = skipped.isEmpty() ? "there is no older one" : "none of the others is whole";
        } catch (IOException e) {
            newest = "which others there are cannot be read: " + e.getMessage();
        }
        return "the checkpoint of step " + saving.plan().step() + " was not written to " + store.directory() + ": "
                + wrong + "; " + newest;
    }

    /// Waits until what [#saveAsync] has begun is on the disk, without a message to other ranks: also after an
    /// exception.
    ///
    /// @throws IOException when it could not be written, as [#save]
    @Override
    public void close() throws IOException {
        try {
            Pending last = pending;
            if (last == null) return;
            pending = null;
            String wrong = last.saving.own();
            if (!wrong.isEmpty() && last.group != null) wrong = last.saving.who() + ": " + wrong;
            if (wrong.isEmpty() && (last.group == null || last.group.rank() == 0)) wrong = last.saving.all();
            String message = message(last.saving, wrong);
            if (!message.isEmpty()) throw new IOException(message, last.saving.cause());
        } finally {
            if (lock != null) lock.clean();
            lock = null;
        }
    }

    /// The newest one that is whole: its files are there, as long as they were, with the same sums. Null when
    /// there is none at all. Reads the files it looks at.
    ///
    /// @throws CheckpointException when there are some, and none is whole: it names them
    public @Nullable FoundCheckpoint findNewest() throws IOException {
        List<String> skipped = new ArrayList<>();
        Manifest found = whole(skipped);
        return found == null ? null : new FoundCheckpoint(found.step(), store.files(found), skipped);
    }

    /// The same, by its manifest.
    private @Nullable Manifest whole(List<String> skipped) throws IOException {
        Manifest found = find(skipped);
        if (found == null && !skipped.isEmpty()) {
            throw new CheckpointException("none of the " + skipped.size() + " checkpoints in " + store.directory()
                    + " is whole: " + String.join("; ", skipped)
                    + "; to begin anew, use another directory or delete them");
        }
        return found;
    }

    /// The same; null also when none is whole. Fills in those that are not.
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

    /// What a run goes on from.
    ///
    /// @param step after which it was saved
    /// @param skipped newer checkpoints that are not whole, each with what is wrong
    public record LoadedCheckpoint(long step, Safetensors state, List<String> skipped) {}

    /// The newest one that is whole, as rank 0 sees it. Null when there is none. All ranks call it.
    ///
    /// Every rank maps the files, and so reads what it needs of them. Where a rank's directory does not have
    /// them, on another machine, rank 0 sends them, into files that are gone with the arena.
    ///
    /// @param arena how long the tensors can be read; they cannot be written
    /// @throws IOException on all ranks, when rank 0 cannot read its directory
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
        String said = group.allgather(String.join("\n", lines)).getFirst();
        if (said.isEmpty()) return null;
        if (said.startsWith("!"))
            throw new IOException("rank 0 cannot read " + store.directory() + ": " + said.substring(1));
        lines = Arrays.asList(said.split("\n"));
        Manifest manifest = Manifest.parse(lines.getFirst().getBytes(UTF_8));
        boolean has = new CheckpointCopies(group, store).has(manifest);
        boolean allHave = group.sum(has ? 1 : 0) == group.size();
        Safetensors state = allHave
                ? new FoundCheckpoint(manifest.step(), store.files(manifest), List.of()).read(arena)
                : new CheckpointTransfer(group, store, has).read(manifest, arena);
        return new LoadedCheckpoint(manifest.step(), state, List.copyOf(lines.subList(1, lines.size())));
    }
}
