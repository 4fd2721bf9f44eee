package org.tutti.train.checkpoint;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.train.ProcessGroup;

/// The checkpoints of a run, in a directory of their own.
///
///     step-000000001200.safetensors   the tensors
///     step-000000001200.json          step, length and SHA-256 of that file; written last
///
/// Each file is written under another name, forced to the disk and renamed, so a process that is killed at
/// any moment, or a full disk, leaves the older checkpoints and perhaps a file that counts for nothing.
public final class Checkpoints {
    private static final Pattern MANIFEST = Pattern.compile("step-(\\d+)\\.json");
    private static final String TENSORS = ".safetensors";
    private static final String UNFINISHED = ".unfinished-";
    private static final JsonFactory JSON = new JsonFactory();
    private static final int PART = 1 << 20;
    private static final int ALIGNMENT = 64;

    private final Path directory;
    private final int kept;

    /// A checkpoint that is whole.
    ///
    /// @param passedOver newer ones that are not, each with what is wrong
    public record Found(long step, Path file, List<String> passedOver) {}

    private record Manifest(long step, String file, long bytes, String sha256) {}

    private Checkpoints(Path directory, int kept) {
        this.directory = directory;
        this.kept = kept;
    }

    /// In `directory`, which is made when it is not there; the three newest are kept.
    public static Checkpoints in(Path directory) throws IOException {
        Files.createDirectories(directory);
        return new Checkpoints(directory, 3);
    }

    /// Keeps the `newest` ones, and deletes older ones after each [#save].
    public Checkpoints keep(int newest) {
        if (newest < 1) throw new IllegalArgumentException("to keep " + newest + " checkpoints; at least 1");
        return new Checkpoints(directory, newest);
    }

    /// Writes one. On return it is on the disk.
    ///
    /// @throws IOException naming the newest checkpoint that is there, when it could not be written
    public Path save(long step, Safetensors state) throws IOException {
        if (step < 0) throw new IllegalArgumentException("a checkpoint of step " + step);
        deleteUnfinished();
        Path file = directory.resolve(name(step) + TENSORS);
        try {
            MessageDigest sum = sha256();
            long bytes = write(file, channel -> {
                Summing summing = new Summing(channel, sum);
                state.write(summing);
                return summing.written;
            });
            byte[] manifest = manifest(new Manifest(step, file.getFileName().toString(), bytes, hex(sum)));
            write(directory.resolve(name(step) + ".json"), channel -> {
                ByteBuffer text = ByteBuffer.wrap(manifest);
                while (text.hasRemaining()) channel.write(text);
                return manifest.length;
            });
        } catch (IOException e) {
            deleteUnfinished();
            Found newest = newest();
            throw new IOException(
                    "the checkpoint of step " + step + " was not written to " + directory + ": " + e.getMessage()
                            + (newest == null ? "; there is no older one" : "; the newest is of step " + newest.step),
                    e);
        }
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
        Path unfinished = directory.resolve(UNFINISHED + ProcessHandle.current().pid() + "-" + file.getFileName());
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
    /// is none. Reads the files it looks at.
    public @Nullable Found newest() throws IOException {
        List<String> passedOver = new ArrayList<>();
        for (Path path : manifests()) {
            try {
                Manifest m = readManifest(path);
                Path file = directory.resolve(m.file);
                long bytes = Files.size(file);
                if (bytes != m.bytes) throw new CheckpointException("has " + bytes + " bytes, not " + m.bytes);
                if (!sumOf(file).equals(m.sha256))
                    throw new CheckpointException("is not what was written: its sum differs");
                return new Found(m.step, file, passedOver);
            } catch (NoSuchFileException e) {
                passedOver.add(path.getFileName() + ": " + e.getFile() + " is not there");
            } catch (CheckpointException e) {
                passedOver.add(path.getFileName() + ": " + e.getMessage());
            }
        }
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
        Found found = null;
        String said = "";
        try {
            if (group.rank() == 0) found = newest();
            if (found != null) said = String.join("\n", found.passedOver);
        } catch (IOException e) {
            said = String.valueOf(e);
        }
        long[] known = group.allgather(found == null ? -1 : found.step, found == null ? 0 : Files.size(found.file));
        said = group.allgather(said).getFirst();
        if (known[0] < 0 && said.isEmpty()) return null;
        if (known[0] < 0) throw new IOException("rank 0 cannot read " + directory + ": " + said);
        MemorySegment all = arena.allocate(known[1], ALIGNMENT);
        if (found != null) {
            try (FileChannel channel = FileChannel.open(found.file, StandardOpenOption.READ)) {
                all.copyFrom(channel.map(FileChannel.MapMode.READ_ONLY, 0, known[1], Arena.ofAuto()));
            }
        }
        group.broadcast(all, 0);
        List<String> passedOver = said.isEmpty() ? List.of() : List.of(said.split("\n"));
        return new Loaded(known[0], Safetensors.in(all, "the checkpoint of step " + known[0]), passedOver);
    }

    /// Of all checkpoints, the newest first.
    private List<Path> manifests() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(p -> MANIFEST.matcher(p.getFileName().toString()).matches())
                    .sorted(Comparator.comparingLong(Checkpoints::stepOf).reversed())
                    .toList();
        }
    }

    private static long stepOf(Path manifest) {
        Matcher m = MANIFEST.matcher(manifest.getFileName().toString());
        return m.matches() ? Long.parseLong(m.group(1)) : -1;
    }

    private static byte[] manifest(Manifest m) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = JSON.createGenerator(out)) {
            json.writeStartObject();
            json.writeNumberField("step", m.step);
            json.writeStringField("file", m.file);
            json.writeNumberField("bytes", m.bytes);
            json.writeStringField("sha256", m.sha256);
            json.writeEndObject();
        }
        return out.toByteArray();
    }

    private static Manifest readManifest(Path path) throws IOException {
        long step = -1, bytes = -1;
        String file = null, sum = null;
        try (JsonParser json = JSON.createParser(Files.readAllBytes(path))) {
            if (json.nextToken() != JsonToken.START_OBJECT) throw new CheckpointException("is no manifest");
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String field = json.currentName();
                json.nextToken();
                switch (field) {
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
        return new Manifest(step, file, bytes, sum);
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

    /// What killed processes have left.
    private void deleteUnfinished() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            for (Path p : all.filter(p -> p.getFileName().toString().startsWith(UNFINISHED))
                    .toList()) Files.deleteIfExists(p);
        }
    }

    /// The manifest first: what has none does not count, be it that its writer was killed before.
    private void deleteOld() throws IOException {
        List<Path> all = manifests();
        Set<String> keep = new HashSet<>();
        for (int i = 0; i < all.size(); i++) {
            if (i < kept) keep.add(name(stepOf(all.get(i))) + TENSORS);
            else Files.deleteIfExists(all.get(i));
        }
        try (Stream<Path> files = Files.list(directory)) {
            for (Path f : files.toList()) {
                String name = f.getFileName().toString();
                if (name.startsWith("step-") && name.endsWith(TENSORS) && !keep.contains(name)) Files.deleteIfExists(f);
            }
        }
    }
}
