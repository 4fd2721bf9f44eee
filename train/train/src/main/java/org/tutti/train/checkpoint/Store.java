package org.tutti.train.checkpoint;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.Host;
import org.tutti.train.checkpoint.Manifest.Part;

/// The files of a checkpoint directory. Each file is written under a temporary name, forced to disk and
/// renamed.
final class Store {
    private static final Pattern MANIFEST = Pattern.compile("step-(\\d{1,18})\\.json");
    private static final String TENSORS = ".safetensors", JSON = ".json";

    /// Prefix of a file by which a rank reports, before the manifest exists, that it has written a part.
    private static final String WRITTEN = ".written-";

    private static final String UNFINISHED = ".unfinished-" + Host.name() + "-";

    /// Prefix of this process's temporary files.
    private static final String OWN = UNFINISHED + ProcessHandle.current().pid() + "-";
    private static final int READ_BYTES = 1 << 20;

    private final Path directory;

    /// Parts that this process has written or verified. The checksums of these parts need not be computed again
    /// before each deletion of older checkpoints.
    private final Set<Part> known = ConcurrentHashMap.newKeySet();

    /// An existing manifest.
    ///
    /// @param manifest null if it cannot be read; then `wrong` is the reason
    /// @param isKnown whether the content is known: false if reading failed, which may succeed the next time
    record Entry(Path path, long step, @Nullable Manifest manifest, String wrong, boolean isKnown) {
        /// Returns 0 for a manifest that cannot be read.
        long number() {
            return manifest == null ? 0 : manifest.number();
        }

        private boolean mayHave(String file) {
            if (manifest == null) return file.startsWith(stepName(step));
            return manifest.parts().stream().anyMatch(p -> p.file().equals(file));
        }
    }

    Store(Path directory) {
        this.directory = directory;
    }

    Path directory() {
        return directory;
    }

    static String stepName(long step) {
        return String.format("step-%012d", step);
    }

    static String manifestName(long step) {
        return stepName(step) + JSON;
    }

    static String partName(String name, int rank, int ranks) {
        return name + (ranks == 1 ? "" : "." + rank + "-of-" + ranks) + TENSORS;
    }

    /// Returns all checkpoints, the newest first; unreadable ones, of unknown age, are last.
    List<Entry> entries() throws IOException {
        List<Entry> entries = new ArrayList<>();
        try (Stream<Path> all = Files.list(directory)) {
            for (Path path : all.toList()) {
                Matcher m = MANIFEST.matcher(path.getFileName().toString());
                if (m.matches()) entries.add(entry(path, Long.parseLong(m.group(1))));
            }
        }
        entries.sort(Comparator.comparingLong(Entry::number)
                .thenComparingLong(Entry::step)
                .reversed());
        return entries;
    }

    private static Entry entry(Path path, long step) throws IOException {
        try {
            Manifest read = Manifest.read(path);
            if (read.step() == step) return new Entry(path, step, read, "", true);
            return new Entry(path, step, null, "is the manifest of step " + read.step(), true);
        } catch (NoSuchFileException e) {
            return new Entry(path, step, null, e.getFile() + " is not there", true);
        } catch (CheckpointException e) {
            return new Entry(path, step, null, String.valueOf(e.getMessage()), true);
        } catch (IOException e) {
            return new Entry(path, step, null, "cannot be read: " + e.getMessage(), false);
        }
    }

    /// Writes a file of tensors and computes the checksum.
    Part writePart(String file, Safetensors state) throws IOException {
        MessageDigest sum = sha256();
        long bytes = write(file, channel -> {
            Summing summing = new Summing(channel, sum);
            state.write(summing);
            return summing.written;
        });
        Part part = new Part(file, bytes, hex(sum));
        known.add(part);
        return part;
    }

    /// Writes the manifest, after the parts.
    void writeManifest(Manifest manifest) throws IOException {
        writeText(manifestName(manifest.step()), manifest.text());
    }

    /// Returns whether this directory has the checkpoint: the same manifest, and files with the lengths in the
    /// manifest. Does not read the tensors.
    boolean has(Manifest manifest) throws IOException {
        try {
            if (!Manifest.read(directory.resolve(manifestName(manifest.step()))).equals(manifest)) return false;
            for (Part p : manifest.parts()) if (Files.size(directory.resolve(p.file())) != p.bytes()) return false;
            return true;
        } catch (NoSuchFileException | CheckpointException e) {
            return false;
        }
    }

    List<Path> files(Manifest manifest) {
        return manifest.parts().stream().map(p -> directory.resolve(p.file())).toList();
    }

    /// Reports to rank 0 that a part exists.
    void writeWritten(Manifest part) throws IOException {
        writeText(WRITTEN + part.parts().getFirst().file() + JSON, part.text());
    }

    /// Returns the part in `file`, if this attempt has already written it; otherwise null.
    @Nullable
    Part written(String file, long attempt) throws IOException {
        try {
            Manifest m = Manifest.read(directory.resolve(WRITTEN + file + JSON));
            return m.number() == attempt ? m.parts().getFirst() : null;
        } catch (NoSuchFileException | CheckpointException e) {
            return null; // the file of a different attempt may be damaged
        }
    }

    void deleteWritten() throws IOException {
        delete(name -> name.startsWith(WRITTEN));
    }

    /// Deletes a part without a manifest, and the file that reports the part.
    void discard(String file) throws IOException {
        Files.deleteIfExists(directory.resolve(WRITTEN + file + JSON));
        Files.deleteIfExists(directory.resolve(file));
    }

    /// Reads the parts like a run that resumes from the checkpoint, but skips the tensor data. Called before
    /// the manifest is written, and before older checkpoints are deleted.
    ///
    /// @throws CheckpointException if the parts cannot be read
    void readBack(Manifest manifest) throws IOException {
        if (!Manifest.parse(manifest.text()).equals(manifest)) {
            throw new CheckpointException("the manifest of step " + manifest.step() + " cannot be read back");
        }
        try (Arena arena = Arena.ofConfined()) {
            List<Safetensors> parts = new ArrayList<>();
            for (Part p : manifest.parts()) {
                Path file = directory.resolve(p.file());
                if (Files.size(file) != p.bytes()) {
                    throw new CheckpointException(file + " has " + Files.size(file) + " bytes, not " + p.bytes());
                }
                parts.add(Safetensors.read(file, arena));
            }
            Safetensors.joined(parts);
        } catch (IllegalArgumentException e) {
            throw new CheckpointException("the parts of step " + manifest.step() + " do not fit: " + e.getMessage());
        }
    }

    private void writeText(String file, byte[] text) throws IOException {
        write(file, channel -> {
            ByteBuffer bytes = ByteBuffer.wrap(text);
            while (bytes.hasRemaining()) channel.write(bytes);
            return text.length;
        });
    }

    private long write(String file, DurableFile.Content content) throws IOException {
        return DurableFile.write(directory.resolve(OWN + file), directory.resolve(file), content);
    }

    /// Computes the checksum of the written data.
    private static final class Summing implements WritableByteChannel {
        private final FileChannel to;
        private final MessageDigest sum;
        private long written;

        Summing(FileChannel to, MessageDigest sum) {
            this.to = to;
            this.sum = sum;
        }

        @Override
        public int write(ByteBuffer from) throws IOException {
            ByteBuffer seen = from.duplicate();
            int bytes = to.write(from);
            sum.update(seen.limit(seen.position() + bytes));
            written += bytes;
            return bytes;
        }

        @Override
        public boolean isOpen() {
            return to.isOpen();
        }

        @Override
        public void close() throws IOException {
            to.close();
        }
    }

    /// Returns a description of the damage to a checkpoint; null if it is intact. Reads the files.
    @Nullable
    String damage(Manifest m) throws IOException {
        for (Part p : m.parts()) {
            known.remove(p);
            String where = m.parts().size() == 1 ? "" : p.file() + " ";
            try {
                long bytes = Files.size(directory.resolve(p.file()));
                if (bytes != p.bytes()) return where + "has " + bytes + " bytes, not " + p.bytes();
                if (!sumOf(directory.resolve(p.file())).equals(p.sha256()))
                    return where + "is damaged: the checksum differs";
            } catch (NoSuchFileException e) {
                return e.getFile() + " is not there";
            }
            known.add(p);
        }
        return null;
    }

    /// Deletes all but the newest valid checkpoints. The manifest of a checkpoint is deleted first: if the
    /// process is killed before the files of tensors are deleted, these have no manifest, and are ignored.
    ///
    /// @param written the newest checkpoint, which must be readable before older ones are deleted
    void deleteOld(int kept, Manifest written) throws IOException {
        int whole = 0;
        List<Entry> keep = new ArrayList<>(), all = entries();
        if (all.isEmpty() || !written.equals(all.getFirst().manifest)) {
            throw new IOException(directory.resolve(manifestName(written.step()))
                    + " cannot be read back, so older checkpoints are kept");
        }
        for (Entry e : all) {
            if (whole == kept && e.isKnown) {
                Files.deleteIfExists(e.path);
                continue;
            }
            keep.add(e);
            Manifest m = e.manifest;
            if (m != null && (known.containsAll(m.parts()) || damage(m) == null)) whole++;
        }
        delete(name -> name.startsWith("step-")
                && name.endsWith(TENSORS)
                && keep.stream().noneMatch(e -> e.mayHave(name)));
        Set<Part> current = new HashSet<>();
        keep.forEach(e -> {
            if (e.manifest != null) current.addAll(e.manifest.parts());
        });
        known.retainAll(current);
    }

    /// Deletes the temporary files of terminated processes of this host, but not of running processes, which
    /// may still be writing. Files that cannot be deleted are ignored.
    void deleteLeft() {
        try {
            delete(name -> name.startsWith(UNFINISHED) && !isBeingWritten(directory.resolve(name)));
        } catch (IOException e) {
            // writing the next checkpoint will fail, too, and report this
        }
    }

    /// Returns whether a process holds the file's lock. The process number in the name is not enough, because a
    /// new process may have the number of a terminated one.
    private static boolean isBeingWritten(Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock()) {
            return lock == null;
        } catch (OverlappingFileLockException e) {
            return true; // locked by a different thread
        } catch (IOException e) {
            return true; // it was deleted, or this cannot be determined
        }
    }

    /// Deletes this process's incomplete versions of that file.
    void deleteUnfinished(String of) throws IOException {
        delete(file -> file.startsWith(OWN) && file.contains(of));
    }

    /// Returns a temporary file of this process, which readers ignore.
    Path unfinished(String name) {
        return directory.resolve(OWN + name);
    }

    private void delete(Predicate<String> which) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            for (Path p :
                    all.filter(p -> which.test(p.getFileName().toString())).toList()) Files.deleteIfExists(p);
        }
    }

    private static String sumOf(Path file) throws IOException {
        MessageDigest sum = sha256();
        ByteBuffer part = ByteBuffer.allocate(READ_BYTES);
        return NamedFile.on(file, () -> {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                while (channel.read(part) >= 0) {
                    sum.update(part.flip());
                    part.clear();
                }
            }
            return hex(sum);
        });
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static String hex(MessageDigest sum) {
        return HexFormat.of().formatHex(sum.digest());
    }
}
