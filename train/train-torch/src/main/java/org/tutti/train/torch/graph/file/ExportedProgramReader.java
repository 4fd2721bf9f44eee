package org.tutti.train.torch.graph.file;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import org.tutti.train.checkpoint.CheckpointException;

/// Reads files of `torch.export.save`. No pickle is executed, and nothing is extracted to disk.
public final class ExportedProgramReader {
    private static final String MODEL = "models/model.json";
    private static final String WEIGHTS = "data/weights/", CONSTANTS = "data/constants/";
    private static final String WEIGHTS_CONFIG = WEIGHTS + "model_weights_config.json";
    private static final String CONSTANTS_CONFIG = CONSTANTS + "model_constants_config.json";
    private static final long LARGEST_JSON = 128 << 20, LARGEST_MARKER = 100;
    private static final long ALIGNMENT = 64;
    private static final int KNOWN_MINOR = 20;

    private final String file;
    private final Arena arena;

    private ExportedProgramReader(String file, Arena arena) {
        this.file = file;
        this.arena = arena;
    }

    /// Reads a file. The tensors are a private mapping of the file: writing to them does not change the file. They
    /// are valid until the arena is closed; until then the file must not be truncated.
    ///
    /// @throws CheckpointException if the file is not an exported program, is damaged, or has parts that are not
    ///     supported
    public static ExportedProgram read(Path file, Arena arena) throws IOException {
        return new ExportedProgramReader(file.toString(), arena).program(map(file, arena));
    }

    private static MemorySegment map(Path file, Arena arena) throws IOException {
        // a private mapping needs a channel that can write, although it never does
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.PRIVATE, 0, channel.size(), arena);
        } catch (NoSuchFileException e) {
            throw new NoSuchFileException(file + " does not exist");
        } catch (FileSystemException e) {
            return copy(file, arena);
        }
    }

    /// Reads a file that is not writable.
    private static MemorySegment copy(Path file, Arena arena) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
                Arena mapping = Arena.ofConfined()) {
            MemorySegment all = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), mapping);
            return arena.allocate(all.byteSize(), ALIGNMENT).copyFrom(all);
        }
    }

    private ExportedProgram program(MemorySegment all) throws IOException {
        if (!MappedZip.isZip(all)) throw ForeignFile.refused(all, file);
        MappedZip zip = new MappedZip(all, file, true);
        String root = root(zip);
        requireLittleEndian(zip, root);
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment json = zip.contents(root + MODEL, LARGEST_JSON, scratch);
            ProgramParser.Program program =
                    Json.read(json, file + ": " + MODEL, text -> new ProgramParser(text, file).read());
            if (program.minor() != KNOWN_MINOR) {
                System.err.println(file + " has version 8." + program.minor() + " of the format; tested is version 8."
                        + KNOWN_MINOR);
            }
            Map<String, StoredTensor> weights = tensors(zip, root, WEIGHTS, WEIGHTS_CONFIG, scratch);
            Map<String, StoredTensor> constants = tensors(zip, root, CONSTANTS, CONSTANTS_CONFIG, scratch);
            return new ProgramChecks(file, program, weights, constants).checked(sha256(json));
        }
    }

    /// Returns the folder that has all entries, with a slash.
    private String root(MappedZip zip) throws CheckpointException {
        String root = null;
        for (String name : zip.names()) {
            String first = name.substring(0, name.indexOf('/') + 1);
            if (root != null && !root.equals(first))
                throw refused("has entries in two folders: " + Json.shown(root) + " and " + Json.shown(first));
            root = first;
        }
        if (root == null || root.isEmpty()) throw refused("has no folder with entries, and is no exported program");
        return root;
    }

    private void requireLittleEndian(MappedZip zip, String root) throws CheckpointException {
        if (ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN)
            throw refused("is little-endian, and this machine is not");
        String order = root + "byteorder";
        if (!zip.has(order)) return;
        String found = marker(zip, order);
        if (!found.equals("little"))
            throw refused("has the byte order " + Json.shown(found) + "; only little is supported");
    }

    private String marker(MappedZip zip, String entry) throws CheckpointException {
        byte[] text = zip.contents(entry, LARGEST_MARKER, arena).toArray(ValueLayout.JAVA_BYTE);
        return new String(text, UTF_8).strip();
    }

    private Map<String, StoredTensor> tensors(MappedZip zip, String root, String folder, String config, Arena scratch)
            throws IOException {
        MemorySegment text = zip.contents(root + config, LARGEST_JSON, scratch);
        Payloads payloads = new Payloads(zip, root + folder, file, arena);
        return Json.read(text, file + ": " + config, payloads::read);
    }

    private static String sha256(MemorySegment text) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(text.asByteBuffer());
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e); // each Java has it
        }
    }

    private CheckpointException refused(String problem) {
        return new CheckpointException(file + ": " + problem);
    }
}
