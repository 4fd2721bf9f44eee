package org.tutti.train.torch.graph.file;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.function.Consumer;
import org.tutti.train.checkpoint.CheckpointException;

/// Reads files of `torch.export.save`. Executes no pickle, and extracts no files to disk.
public final class ExportedProgramReader {
    private static final String MODEL = "models/model.json", WEIGHTS = "weights", CONSTANTS = "constants";
    private static final String OLD_MODEL = "serialized_exported_program.json";
    private static final String OLD_WEIGHTS = "serialized_state_dict.pt", OLD_CONSTANTS = "serialized_constants.pt";
    private static final long LARGEST_JSON = 128 << 20, ALIGNMENT = 64;
    private static final int TESTED_MINOR = 20;

    private final String file;
    private final Arena arena;

    private final Consumer<String> warnings;

    private ExportedProgramReader(String file, Arena arena, Consumer<String> warnings) {
        this.file = file;
        this.arena = arena;
        this.warnings = warnings;
    }

    /// Reads a file. The tensors are parts of a private mapping of the file, or copies: writes to the tensors
    /// do not change the file. The tensors are valid until the arena is closed; the file must not be truncated
    /// before that.
    ///
    /// @throws CheckpointException if the file is not an exported program, is damaged, or has unsupported parts
    public static ExportedProgram read(Path file, Arena arena) throws IOException {
        return read(file, arena, System.err::println);
    }

    /// @param warnings prints a warning
    static ExportedProgram read(Path file, Arena arena, Consumer<String> warnings) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file))
            throw new CheckpointException(file + " is not a file but a directory, device or pipe");
        return new ExportedProgramReader(file.toString(), arena, warnings).program(map(file, arena));
    }

    private static MemorySegment map(Path file, Arena arena) throws IOException {
        if (!Files.isWritable(file)) return copy(file, arena);
        // a private mapping requires a channel with write access
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.PRIVATE, 0, channel.size(), arena);
        }
    }

    private static MemorySegment copy(Path file, Arena arena) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
                Arena mapping = Arena.ofConfined()) {
            MemorySegment all = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), mapping);
            return arena.allocate(all.byteSize(), ALIGNMENT).copyFrom(all);
        }
    }

    private ExportedProgram program(MemorySegment all) throws IOException {
        if (!MappedZip.isZip(all)) throw ForeignFile.notZip(all, file);
        MappedZip zip = new MappedZip(all, file, true);
        return zip.has(OLD_MODEL) ? oldProgram(zip) : program(TorchArchive.in(zip, file));
    }

    /// Reads a file of PyTorch before 2.8.
    private ExportedProgram oldProgram(MappedZip zip) throws IOException {
        return program(OLD_MODEL, zip, saved(OLD_WEIGHTS, zip), saved(OLD_CONSTANTS, zip));
    }

    private Map<String, StoredTensor> saved(String entry, MappedZip zip) throws IOException {
        return SavedTensors.read(zip.contents(entry, Long.MAX_VALUE, arena), file + ": " + entry, arena);
    }

    private ExportedProgram program(TorchArchive archive) throws IOException {
        if (!archive.has(MODEL)) throw ForeignFile.notProgram(archive);
        return program(archive.root() + MODEL, archive.zip(), tensors(archive, WEIGHTS), tensors(archive, CONSTANTS));
    }

    /// Reads the tensors of a folder. PyTorch 2.8 and some builds of 2.9 save the tensors with a pickle.
    private Map<String, StoredTensor> tensors(TorchArchive archive, String kind) throws IOException {
        String folder = "data/" + kind + "/", saved = folder + "model.pt";
        if (archive.has(saved)) return saved(archive.root() + saved, archive.zip());
        String config = folder + "model_" + kind + "_config.json";
        if (!archive.has(config)) throw refused("has no entry " + config);
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment text = archive.contents(config, LARGEST_JSON, scratch);
            return GraphJson.read(text, file + ": " + config, new Payloads(archive.storages(folder, arena))::read);
        }
    }

    private ExportedProgram program(
            String model, MappedZip zip, Map<String, StoredTensor> weights, Map<String, StoredTensor> constants)
            throws IOException {
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment text = zip.contents(model, LARGEST_JSON, scratch);
            ProgramParser.Program program =
                    GraphJson.read(text, file + ": " + model, json -> new ProgramParser(json, file).read());
            if (program.minor() != TESTED_MINOR) {
                warnings.accept(file + " has version 8." + program.minor() + " of the format; the tested version is 8."
                        + TESTED_MINOR);
            }
            return new ProgramChecks(file, program, weights, constants).checked(sha256(text));
        }
    }

    private static String sha256(MemorySegment text) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(text.asByteBuffer());
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e); // every Java has this algorithm
        }
    }

    private CheckpointException refused(String problem) {
        return new CheckpointException(file + " " + problem);
    }
}
