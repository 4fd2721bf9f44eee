package org.tutti.train.torch.graph;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Module;
import org.tutti.train.TrainingException;
import org.tutti.train.checkpoint.CheckpointException;
import org.tutti.train.checkpoint.DurableFile;
import org.tutti.train.checkpoint.ModelFiles;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.torch.TorchModel.IncompatibleKeys;
import org.tutti.train.torch.tensor.LibTorch;

/// A model's directory in the format of Hugging Face's `save_pretrained` and `from_pretrained`: `config.json`,
/// `model.safetensors` or several such files with an index, and the files of the tokenizer.
///
///     HubDirectory base = HubDirectory.at(Path.of("bert-base"));      // of `hf download`, for example
///     base.load(model);
///     …                                                               // training
///     if (group.rank() == 0) base.save(model, Path.of("bert-reviews"));
///
/// Weights are converted to the types of the module's tensors, from `F16`, `BF16` and 8-bit floats, for
/// example. A tensor with several names is read under any of these names. It is written under each of the names
/// that this directory has, or under the first name if the directory has none of these. Names in the files must
/// be equal to the module's names, except for the prefix of the base model (`transformer.` in GPT-2): if only
/// the module's names or only the files' names have it, the prefix is added or removed.
public final class HubDirectory {
    private static final String CONFIG = "config.json";
    private static final String MODEL = "model.safetensors", INDEX = ".index.json";

    /// The size above which `save_pretrained` writes several files.
    private static final long FILE_BYTES = 5_000_000_000L;

    private final Path path;
    private final JsonObject config;
    private final String modelType;
    private final List<String> architectures;
    private final Options options;

    /// @param prefix prefix of the module's names; empty for none
    /// @param isF32 whether trained parameters become `F32`
    /// @param hasSourceTypes whether tensors are saved with the types that they have in this directory
    private record Options(String prefix, boolean isF32, boolean hasSourceTypes, long fileBytes) {}

    private HubDirectory(Path path, JsonObject config, Options options) throws CheckpointException {
        this.path = path;
        this.config = config;
        this.options = options;
        modelType = config.text("model_type", "");
        architectures = config.texts("architectures");
    }

    /// Reads `config.json` of a directory.
    ///
    /// @throws CheckpointException if it is not the directory of a model
    public static HubDirectory at(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            throw new CheckpointException(path
                    + " is not a directory; models are not downloaded here: use hf download NAME --local-dir " + path);
        }
        Path config = path.resolve(CONFIG);
        if (!Files.isRegularFile(config)) {
            throw new CheckpointException(path + " has no " + CONFIG
                    + (Files.exists(path.resolve(AdapterConfig.FILE))
                            ? ", but " + AdapterConfig.FILE + ": an adapter, which Lora.read reads"
                            : "; it is not a directory of save_pretrained"));
        }
        return new HubDirectory(path, JsonObject.read(config), new Options("", false, false, FILE_BYTES));
    }

    private HubDirectory with(Options changed) {
        try {
            return new HubDirectory(path, config, changed);
        } catch (CheckpointException e) {
            throw new IllegalStateException(e); // the same config was accepted before
        }
    }

    /// Returns a directory for modules in which names begin with `prefix`, while the names in the files do not.
    /// For example, the prefix is `net.` if the exported class has the model in a field `net`. Tensors without
    /// the prefix, such as a head that the class adds, are not loaded and not saved.
    public HubDirectory withPrefix(String prefix) {
        return with(new Options(prefix, options.isF32, options.hasSourceTypes, options.fileBytes));
    }

    /// Returns a directory that converts trained parameters of 16 bits to `F32` before the load, so that
    /// small updates are not lost in rounding. Run the module in an [org.tutti.train.torch.Autocast] of the 16-bit
    /// type. Load before `TorchModel.of` and before the optimizer is created.
    public HubDirectory withMasterWeights() {
        return with(new Options(options.prefix, true, options.hasSourceTypes, options.fileBytes));
    }

    /// Returns a directory that saves each tensor in the type that it has in this directory, instead of the
    /// module's type.
    public HubDirectory withSourceTypes() {
        return with(new Options(options.prefix, options.isF32, true, options.fileBytes));
    }

    /// Returns a directory that saves models of more than `bytes` in several files with an index.
    public HubDirectory withFileBytes(long bytes) {
        if (bytes < 1) throw new IllegalArgumentException("files of " + bytes + " bytes; at least 1");
        return with(new Options(options.prefix, options.isF32, options.hasSourceTypes, bytes));
    }

    public Path path() {
        return path;
    }

    /// Returns the model type in `config.json`, such as `bert`; empty if not stored.
    public String modelType() {
        return modelType;
    }

    /// Returns the names of the model's classes in Python, such as `BertForSequenceClassification`.
    public List<String> architectures() {
        return architectures;
    }

    /// Returns the fields of `config.json`: strings, `Long`, `Double`, `Boolean`, lists and maps. Fields that are
    /// null are omitted.
    public Map<String, Object> config() {
        return config.fields();
    }

    /// Returns a file of the directory, such as `tokenizer.json`.
    ///
    /// @throws CheckpointException if it is missing
    public Path file(String name) throws IOException {
        boolean isName = !name.isEmpty()
                && !name.equals("..")
                && name.equals(String.valueOf(Path.of(name).getFileName()));
        if (!isName) throw new IllegalArgumentException("\"" + name + "\" is not the name of a file in " + path);
        Path file = path.resolve(name);
        if (!Files.isRegularFile(file)) throw new CheckpointException(path + " has no " + name);
        return file;
    }

    /// Fills all tensors of the module with the values of the files, which are converted to the module's types.
    ///
    /// @throws CheckpointException if a file is damaged, or the weights are quantized
    /// @throws TrainingException if a tensor is missing, unexpected or of a different shape; then no tensor has
    ///     changed
    public void load(Module module) throws IOException {
        load(module, false);
    }

    /// As [#load], but loads only the tensors that exist in the files and in the module, for a model with a new
    /// head. The result has the names of all unmatched tensors.
    ///
    /// @throws TrainingException if the files and the module have no common name, or a tensor has a different
    ///     shape
    public IncompatibleKeys loadNonStrict(Module module) throws IOException {
        return load(module, true);
    }

    private IncompatibleKeys load(Module module, boolean isPartial) throws IOException {
        requireUnquantized();
        LibTorch.load();
        try (Arena arena = Arena.ofConfined();
                PointerScope scope = new PointerScope()) {
            StateDict state = StateDict.of(module, options.prefix);
            return state.fill(ModelFiles.read(weights(), arena), isPartial, options.isF32);
        } catch (TrainingException e) {
            throw new TrainingException(path + ": " + e.getMessage(), e);
        }
    }

    private void requireUnquantized() throws CheckpointException {
        if (!config.fields().containsKey("quantization_config")) return;
        Map<?, ?> how = config.object("quantization_config");
        throw new CheckpointException(path + ": the weights are quantized (quant_method "
                + how.get("quant_method") + "), and cannot be trained; convert the model in Python with"
                + " model.dequantize().save_pretrained(…), or take the original model");
    }

    /// Returns the file or index that `from_pretrained` prefers; the directory if it has neither.
    private Path weights() {
        for (String name : List.of(MODEL, MODEL + INDEX)) {
            if (Files.exists(path.resolve(name))) return path.resolve(name);
        }
        return path;
    }

    /// Saves the module's tensors and copies other files of this directory: `config.json`, the tokenizer's
    /// files and `generation_config.json`, for example. Python's `from_pretrained` reads the result. Buffers
    /// that are not persistent are not written, and `num_batches_tracked` is written only if this directory has
    /// it, or has no tensors. Call it on one rank.
    ///
    /// Each file is written under a temporary name, forced to disk and renamed, `config.json` last. The target
    /// may be this directory itself.
    ///
    /// @param to is created if necessary
    /// @throws TrainingException if none of this directory's tensors would be written, or a tensor has a
    ///     different shape in this directory
    public void save(Module module, Path to) throws IOException {
        requireUnquantized();
        LibTorch.load();
        Files.createDirectories(to);
        try (PointerScope scope = new PointerScope()) {
            StateDict.SourceTensors source = source();
            Safetensors tensors = StateDict.of(module, options.prefix).tensors(source, options.hasSourceTypes);
            ModelFiles.write(to, tensors, options.fileBytes);
        } catch (TrainingException e) {
            throw new TrainingException(to + ": " + e.getMessage(), e);
        }
        for (Path file : otherFiles()) {
            Path target = to.resolve(file.getFileName());
            if (Files.exists(target) && Files.isSameFile(file, target)) continue;
            DurableFile.write(target, channel -> copy(file, channel));
        }
        DurableFile.write(to.resolve(CONFIG), config.text());
    }

    private static long copy(Path file, FileChannel to) throws IOException {
        try (FileChannel from = FileChannel.open(file, StandardOpenOption.READ)) {
            long bytes = from.size();
            for (long at = 0; at < bytes; ) at += from.transferTo(at, bytes - at, to);
            return bytes;
        }
    }

    /// Returns the names and types of this directory's tensors; empty if the directory has no tensors.
    private StateDict.SourceTensors source() throws IOException {
        Path weights = weights();
        if (weights.equals(path)) {
            try (Stream<Path> all = Files.list(path)) {
                if (all.noneMatch(f -> f.toString().endsWith(".safetensors"))) return StateDict.SourceTensors.EMPTY;
            }
        }
        try (Arena arena = Arena.ofConfined()) {
            return StateDict.SourceTensors.of(ModelFiles.read(weights, arena));
        }
    }

    /// Returns the files to copy: files with extensions of configurations and tokenizers, except `config.json`,
    /// the index of the weights, and hidden files.
    private List<Path> otherFiles() throws IOException {
        try (Stream<Path> all = Files.list(path)) {
            return all.filter(f -> isCopied(f.getFileName().toString()) && Files.isRegularFile(f))
                    .sorted()
                    .toList();
        }
    }

    private static boolean isCopied(String name) {
        if (name.startsWith(".") || name.equals(CONFIG) || name.endsWith(INDEX)) return false;
        return Stream.of(".json", ".txt", ".model", ".jinja", ".tiktoken").anyMatch(name::endsWith);
    }
}
