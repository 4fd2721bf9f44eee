package org.tutti.train.checkpoint;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.job.Host;
import org.tutti.train.ProcessGroup;

/// The checkpoints of a run, in a directory of their own.
///
///     step-000000001200.safetensors   the tensors
///     step-000000001200.json          step, length and SHA-256 of that file, and its sequence number; written last
///
/// The newest is the one that was written last: a run that begins anew, or farther back, in a directory
/// with higher steps goes on from its own.
///
/// Each file is written under another name, forced to the disk and renamed, so a process that is killed at
/// any moment, or a full disk, leaves the older checkpoints and perhaps a file that counts for nothing.
public final class Checkpoints {
    private static final Pattern MANIFEST = Pattern.compile("step-(\\d+)\\.json");
    private static final String TENSORS = ".safetensors";
    private static final String UNFINISHED = ".unfinished-" + Host.name() + "-";

    /// Of files of this process.
    private static final String OWN = UNFINISHED + ProcessHandle.current().pid() + "-";

    private static final Pattern LEFT = Pattern.compile(Pattern.quote(UNFINISHED) + "(\\d+)-.*");
    private static final JsonFactory JSON = new JsonFactory();
    private static final int PART = 1 << 20;
    private static final int ALIGNMENT = 64;

    private final Path directory;
    private final int kept;

    /// Those that were written or summed up here: their sums need not be taken before each deletion of others.
    private final Set<Manifest> known = new HashSet<>();

    /// A checkpoint that is whole.
    ///
    /// @param passedOver newer ones that are not, and those of which nobody can tell, each with what is wrong
    public record Found(long step, Path file, List<String> passedOver) {}

    /// @param number counts the checkpoints of the directory, from 1
    private record Manifest(long number, long step, String file, long bytes, String sha256) {}

    /// A manifest that is there.
    ///
    /// @param manifest null when it cannot be read; then `wrong` says why
    private record Entry(Path path, long step, @Nullable Manifest manifest, String wrong) {
        /// 0 for those that cannot be read.
        long number() {
            return manifest == null ? 0 : manifest.number;
        }

        String file() {
            return manifest == null ? name(step) + TENSORS : manifest.file;
        }
    }

    private Checkpoints(Path directory, int kept) {
        this.directory = directory;
        this.kept = kept;
    }

    /// In `directory`, which is made when it is not there; the three newest are kept.
    public static Checkpoints in(Path directory) throws IOException {
        Files.createDirectories(directory);
        return new Checkpoints(directory, 3);
    }

    /// Keeps the `newest` ones that are whole, and deletes older ones after each [#save].
    public Checkpoints keep(int newest) {
        if (newest < 1) throw new IllegalArgumentException("to keep " + newest + " checkpoints; at least 1");
        return new Checkpoints(directory, newest);
    }

    /// Writes one. On return it is on the disk, and stays there until newer ones are. The first time in a
    /// process it reads the older ones that it keeps, too.
    ///
    /// @throws IOException naming the newest checkpoint that is there, when it could not be written
    public Path save(long step, Safetensors state) throws IOException {
        if (step < 0) throw new IllegalArgumentException("a checkpoint of step " + step);
        deleteUnfinished(Checkpoints::isLeft);
        List<Entry> older = entries();
        long number = older.isEmpty() ? 1 : older.getFirst().number() + 1;
        Path file = directory.resolve(name(step) + TENSORS);
        Manifest written;
        try {
            MessageDigest sum = sha256();
            long bytes = write(file, channel -> {
                Summing summing = new Summing(channel, sum);
                state.write(summing);
                return summing.written;
            });
            written = new Manifest(number, step, file.getFileName().toString(), bytes, hex(sum));
            byte[] manifest = manifest(written);
            write(directory.resolve(name(step) + ".json"), channel -> {
                ByteBuffer text = ByteBuffer.wrap(manifest);
                while (text.hasRemaining()) channel.write(text);
                return manifest.length;
            });
        } catch (IOException e) {
            deleteUnfinished(name -> name.startsWith(OWN + name(step)));
            List<String> passedOver = new ArrayList<>();
            Found newest = find(passedOver);
            String others = passedOver.isEmpty() ? "; there is no older one" : "; none of the others is whole";
            throw new IOException(
                    "the checkpoint of step " + step + " was not written to " + directory + ": " + e.getMessage()
                            + (newest == null ? others : "; the newest is of step " + newest.step),
                    e);
        }
        known.add(written);
        deleteOld();
        return file;
    }

    private static String name(long step) {
        return String.format("step-%012d", step);
    }

    @FunctionalInterface
    private interface Content {
        long write(FileChannel to) throws IOException;
    }

    private long write(Path file, Content content) throws IOException {
        Path unfinished = directory.resolve(OWN + file.getFileName());
        long bytes;
        try (FileChannel channel = FileChannel.open(
                unfinished,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
            bytes = content.write(channel);
            channel.force(true);
        }
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        forceDirectory();
        return bytes;
    }

    /// The names are on the disk, too. Not every system can; then the file's own are all there is.
    private void forceDirectory() {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            // Windows opens no directories
        }
    }

    /// Sums up what goes through it.
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

    /// The newest one that is whole: its file is there, as long as it was, with the same sum. Null when there
    /// is none at all. Reads the files it looks at.
    ///
    /// @throws CheckpointException when there are some, and none is whole: it names them
    public @Nullable Found newest() throws IOException {
        List<String> passedOver = new ArrayList<>();
        Found found = find(passedOver);
        if (found == null && !passedOver.isEmpty()) {
            throw new CheckpointException("none of the " + passedOver.size() + " checkpoints in " + directory
                    + " is whole: " + String.join("; ", passedOver)
                    + "; to begin anew, use another directory or delete them");
        }
        return found;
    }

    /// The same; null also when none is whole. Fills in those that are not.
    private @Nullable Found find(List<String> passedOver) throws IOException {
        Found found = null;
        for (Entry e : entries()) {
            if (found != null && e.manifest != null) continue;
            String wrong = e.manifest == null ? e.wrong : damage(e.manifest);
            if (wrong == null) found = new Found(e.step, directory.resolve(e.file()), passedOver);
            else passedOver.add(e.path.getFileName() + ": " + wrong);
        }
        return found;
    }

    /// What is wrong with the file; null when it is whole.
    private @Nullable String damage(Manifest m) throws IOException {
        Path file = directory.resolve(m.file);
        known.remove(m);
        try {
            long bytes = Files.size(file);
            if (bytes != m.bytes) return "has " + bytes + " bytes, not " + m.bytes;
            if (!sumOf(file).equals(m.sha256)) return "is not what was written: its sum differs";
        } catch (NoSuchFileException e) {
            return e.getFile() + " is not there";
        }
        known.add(m);
        return null;
    }

    /// What a run goes on from.
    ///
    /// @param step after which it was saved
    /// @param passedOver newer checkpoints that are not whole, each with what is wrong
    public record Loaded(long step, Safetensors state, List<String> passedOver) {}

    /// The newest one that is whole, as rank 0 sees it; it reads it and gives it to the others, whose
    /// machines need not have it. Null when there is none. All ranks call it.
    ///
    /// @param arena how long the tensors can be read
    /// @throws IOException on all ranks, when rank 0 cannot read its directory
    public @Nullable Loaded newest(ProcessGroup group, Arena arena) throws IOException {
        long step = -1;
        MemorySegment file = MemorySegment.NULL;
        String said = "";
        try {
            Found found = group.rank() == 0 ? newest() : null;
            if (found != null) {
                file = map(found.file);
                step = found.step;
                said = String.join("\n", found.passedOver);
            }
        } catch (IOException | UncheckedIOException e) {
            said = String.valueOf(e);
        }
        long[] first = group.allgather(step, file.byteSize());
        said = group.allgather(said).getFirst();
        if (first[0] < 0 && said.isEmpty()) return null;
        if (first[0] < 0) throw new IOException("rank 0 cannot read " + directory + ": " + said);
        MemorySegment all = arena.allocate(first[1], ALIGNMENT);
        if (group.rank() == 0) all.copyFrom(file);
        group.broadcast(all, 0);
        List<String> passedOver = said.isEmpty() ? List.of() : List.of(said.split("\n"));
        return new Loaded(first[0], Safetensors.in(all, "the checkpoint of step " + first[0]), passedOver);
    }

    private static MemorySegment map(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), Arena.ofAuto());
        }
    }

    /// Of all checkpoints, the newest first; last those that cannot be read, of which nobody knows.
    private List<Entry> entries() throws IOException {
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
            return new Entry(path, step, readManifest(path), "");
        } catch (NoSuchFileException e) {
            return new Entry(path, step, null, e.getFile() + " is not there");
        } catch (CheckpointException e) {
            return new Entry(path, step, null, String.valueOf(e.getMessage()));
        }
    }

    private static byte[] manifest(Manifest m) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = JSON.createGenerator(out)) {
            json.writeStartObject();
            json.writeNumberField("number", m.number);
            json.writeNumberField("step", m.step);
            json.writeStringField("file", m.file);
            json.writeNumberField("bytes", m.bytes);
            json.writeStringField("sha256", m.sha256);
            json.writeEndObject();
        }
        return out.toByteArray();
    }

    private static Manifest readManifest(Path path) throws IOException {
        long number = 0, step = -1, bytes = -1;
        String file = null, sum = null;
        try (JsonParser json = JSON.createParser(Files.readAllBytes(path))) {
            if (json.nextToken() != JsonToken.START_OBJECT) throw new CheckpointException("is no manifest");
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String field = json.currentName();
                json.nextToken();
                switch (field) {
                    case "number" -> number = json.getLongValue();
                    case "step" -> step = json.getLongValue();
                    case "bytes" -> bytes = json.getLongValue();
                    case "file" -> file = json.getText();
                    case "sha256" -> sum = json.getText();
                    default -> json.skipChildren();
                }
            }
        } catch (JsonProcessingException e) {
            throw new CheckpointException("is no manifest: " + e.getOriginalMessage());
        }
        if (step < 0 || bytes < 0 || file == null || sum == null) throw new CheckpointException("is no whole manifest");
        return new Manifest(number, step, file, bytes, sum);
    }

    private static String sumOf(Path file) throws IOException {
        MessageDigest sum = sha256();
        ByteBuffer part = ByteBuffer.allocate(PART);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            while (channel.read(part) >= 0) {
                sum.update(part.flip());
                part.clear();
            }
        }
        return hex(sum);
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

    private void deleteUnfinished(Predicate<String> which) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            for (Path p :
                    all.filter(p -> which.test(p.getFileName().toString())).toList()) Files.deleteIfExists(p);
        }
    }

    /// Of a process of this host that has ended; others may still write theirs.
    private static boolean isLeft(String file) {
        Matcher m = LEFT.matcher(file);
        return m.matches() && !ProcessHandle.of(Long.parseLong(m.group(1))).isPresent();
    }

    /// The manifest first: what has none does not count, be it that its writer was killed before.
    private void deleteOld() throws IOException {
        int whole = 0;
        Set<String> keep = new HashSet<>();
        for (Entry e : entries()) {
            if (whole == kept) {
                Files.deleteIfExists(e.path);
                continue;
            }
            keep.add(e.file());
            if (isWhole(e.manifest)) whole++;
        }
        try (Stream<Path> files = Files.list(directory)) {
            for (Path f : files.toList()) {
                String name = f.getFileName().toString();
                if (name.startsWith("step-") && name.endsWith(TENSORS) && !keep.contains(name)) Files.deleteIfExists(f);
            }
        }
    }

    private boolean isWhole(@Nullable Manifest m) throws IOException {
        if (m == null) return false;
        return known.contains(m) || damage(m) == null;
    }
}
