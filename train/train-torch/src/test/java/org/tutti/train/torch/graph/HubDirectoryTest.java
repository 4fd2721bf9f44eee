package org.tutti.train.torch.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.BatchNorm1dImpl;
import org.bytedeco.pytorch.BatchNormOptions;
import org.bytedeco.pytorch.Module;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.train.TrainingException;
import org.tutti.train.checkpoint.CheckpointException;
import org.tutti.train.checkpoint.ModelFiles;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.model.DType;
import org.tutti.train.model.TensorSpec;
import org.tutti.train.torch.TorchModel.IncompatibleKeys;
import org.tutti.train.torch.tensor.LibTorch;
import org.tutti.train.torch.tensor.Tensors;

/// Directories in the format of Python's `save_pretrained`, written by the test.
class HubDirectoryTest {
    @TempDir
    Path dir;

    @BeforeAll
    static void libtorch() {
        new LibTorch().prepare(OptionalInt.of(1));
    }

    /// A language model: `lm_head.weight` is the tensor of `transformer.wte.weight`.
    private static final class Tied extends Module {
        private final Tensor words;

        Tied(String prefix, ScalarType type) {
            Module root = prefix.isEmpty() ? this : register_module(prefix, new Module());
            Module body = root.register_module("transformer", new Module());
            Module embedding = body.register_module("wte", new Module());
            words = embedding.register_parameter("weight", torch.zeros(3, 2).to(type), true);
            Module norm = body.register_module("ln", new Module());
            norm.register_parameter("weight", torch.zeros(2).to(type), true);
            root.register_module("lm_head", new Module()).register_parameter("weight", words, true);
        }
    }

    private static final float[] WORDS = {1, -2, 0.5f, 448, 1.5f, -0.25f}, NORM = {3, 0.75f};

    private static org.tutti.train.model.Tensor stored(String name, float[] numbers, DType type, long... shape) {
        try (PointerScope scope = new PointerScope()) {
            Tensor made = Tensor.create(numbers, shape).to(Tensors.scalar(type));
            byte[] bytes = Tensors.memory(made).toArray(ValueLayout.JAVA_BYTE);
            return new org.tutti.train.model.Tensor(
                    new TensorSpec(name, type, Tensors.shape(made)), MemorySegment.ofArray(bytes));
        }
    }

    private static List<org.tutti.train.model.Tensor> gpt(String prefix, DType type) {
        return List.of(stored(prefix + "wte.weight", WORDS, type, 3, 2), stored(prefix + "ln.weight", NORM, type, 2));
    }

    /// Writes a source directory.
    private HubDirectory source(List<org.tutti.train.model.Tensor> tensors) throws IOException {
        Path source = Files.createDirectories(dir.resolve("source"));
        Files.writeString(source.resolve("config.json"), """
                {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "tie_word_embeddings": true,
                 "n_embd": 2, "layer_norm_epsilon": 1e-05, "summary_type": null, "limit": Infinity}
                """);
        ModelFiles.write(source, new Safetensors(tensors, Map.of("format", "pt")), Long.MAX_VALUE);
        return HubDirectory.at(source);
    }

    private static float[] numbers(Tensor tensor) {
        try (PointerScope scope = new PointerScope()) {
            return Tensors.memory(tensor.detach().to(ScalarType.Float).contiguous())
                    .toArray(ValueLayout.JAVA_FLOAT);
        }
    }

    private static float[] numbers(Module module, String name) {
        return Tensors.withAliasesOf(module).stream()
                .filter(n -> n.name().equals(name))
                .map(n -> numbers(n.tensor()))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> specs(Path directory) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            return ModelFiles.read(directory, arena).tensors().stream()
                    .map(t -> t.spec().toString())
                    .toList();
        }
    }

    private static List<String> files(Path directory) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(f -> f.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void configIsRead() throws IOException {
        HubDirectory source = source(gpt("transformer.", DType.F32));
        assertThat(source.modelType()).isEqualTo("gpt2");
        assertThat(source.architectures()).containsExactly("GPT2LMHeadModel");
        assertThat(source.config())
                .containsEntry("n_embd", 2L)
                .containsEntry("layer_norm_epsilon", 1e-5)
                .containsEntry("limit", Double.POSITIVE_INFINITY)
                .doesNotContainKey("summary_type");
        Path tokenizer = Files.writeString(source.path().resolve("tokenizer.json"), "{}");
        assertThat(source.file("tokenizer.json")).isEqualTo(tokenizer);
        assertThatThrownBy(() -> source.file("vocab.txt"))
                .isInstanceOf(CheckpointException.class)
                .hasMessage(source.path() + " has no vocab.txt");
        for (String name : new String[] {"../source/config.json", "..", "/etc/hostname"}) {
            assertThatThrownBy(() -> source.file(name))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("\"" + name + "\" is not the name of a file in " + source.path());
        }
    }

    @Test
    void otherDirectoriesAreRefused() throws IOException {
        Path missing = dir.resolve("bert-base-uncased");
        assertThatThrownBy(() -> HubDirectory.at(missing))
                .isInstanceOf(CheckpointException.class)
                .hasMessage(missing + " is not a directory; models are not downloaded here: use hf download NAME"
                        + " --local-dir " + missing);
        assertThatThrownBy(() -> HubDirectory.at(dir))
                .hasMessage(dir + " has no config.json; it is not a directory of save_pretrained");
        Files.writeString(dir.resolve("adapter_config.json"), "{}");
        assertThatThrownBy(() -> HubDirectory.at(dir))
                .hasMessage(dir + " has no config.json, but adapter_config.json: an adapter, which Lora.read reads");
        Path config = dir.resolve("config.json");
        Map<String, String> wrong = Map.of(
                "[1]",
                " is not a JSON object",
                "{\"a\": ",
                " is not JSON: Unexpected end-of-input within/between Object entries",
                "{} {}",
                " has text after the JSON object",
                "{\"model_type\": 3}",
                ": model_type is 3; it must be a string",
                "{\"architectures\": \"Bert\"}",
                ": architectures is Bert; it must be a list of strings",
                "{\"architectures\": [1]}",
                ": architectures is [1]; it must be a list of strings",
                "{\"a\":".repeat(40),
                " is not JSON: Document nesting depth (33) exceeds");
        for (Map.Entry<String, String> e : wrong.entrySet()) {
            Files.writeString(config, e.getKey());
            assertThatThrownBy(() -> HubDirectory.at(dir))
                    .as(e.getKey())
                    .isInstanceOf(CheckpointException.class)
                    .hasMessageStartingWith(config + e.getValue());
        }
    }

    @Test
    void shortTypesBecomeThoseOfTheModule() throws IOException {
        for (DType type : List.of(DType.F32, DType.F16, DType.BF16, DType.F8_E4M3)) {
            HubDirectory source = source(gpt("transformer.", type));
            for (ScalarType own : List.of(ScalarType.Float, ScalarType.BFloat16)) {
                Tied model = new Tied("", own);
                source.load(model);
                assertThat(numbers(model, "transformer.wte.weight"))
                        .as("%s %s", type, own)
                        .isEqualTo(WORDS);
                assertThat(numbers(model, "lm_head.weight")).isEqualTo(WORDS);
                assertThat(numbers(model, "transformer.ln.weight")).isEqualTo(NORM);
                assertThat(model.words.scalar_type().intern()).isEqualTo(own);
            }
        }
    }

    @Test
    void masterWeightsAreF32() throws IOException {
        Tied model = new Tied("", ScalarType.BFloat16);
        source(gpt("transformer.", DType.BF16)).withMasterWeights().load(model);
        assertThat(model.words.scalar_type().intern()).isEqualTo(ScalarType.Float);
        assertThat(numbers(model, "lm_head.weight")).isEqualTo(WORDS);
        source(gpt("transformer.", DType.BF16)).withSourceTypes().save(model, dir.resolve("out"));
        assertThat(specs(dir.resolve("out")))
                .containsExactly("transformer.wte.weight BF16[3, 2]", "transformer.ln.weight BF16[2]");
        source(gpt("transformer.", DType.BF16)).save(model, dir.resolve("out"));
        assertThat(specs(dir.resolve("out")))
                .containsExactly("transformer.wte.weight F32[3, 2]", "transformer.ln.weight F32[2]");
    }

    @Test
    void tiedWeightsAreReadFromAnyNameAndWrittenOnce() throws IOException {
        List<org.tutti.train.model.Tensor> both = new ArrayList<>(gpt("transformer.", DType.F32));
        org.tutti.train.model.Tensor head = stored("lm_head.weight", WORDS, DType.F32, 3, 2);
        both.add(head);
        for (List<org.tutti.train.model.Tensor> tensors :
                List.of(gpt("transformer.", DType.F32), List.of(both.get(1), head), both)) {
            HubDirectory source = source(tensors);
            Tied model = new Tied("", ScalarType.Float);
            source.load(model);
            assertThat(numbers(model, "transformer.wte.weight")).isEqualTo(WORDS);
            source.save(model, dir.resolve("out"));
            assertThat(specs(dir.resolve("out")))
                    .as("the names of the source")
                    .containsExactlyInAnyOrderElementsOf(
                            tensors.stream().map(t -> t.spec().toString()).toList());
        }
        both.set(2, stored("lm_head.weight", new float[] {1, -2, 0.5f, 448, 1.5f, 0}, DType.F32, 3, 2));
        HubDirectory different = source(both);
        assertThatThrownBy(() -> different.load(new Tied("", ScalarType.Float)))
                .isInstanceOf(TrainingException.class)
                .hasMessage(different.path() + ": transformer.wte.weight and lm_head.weight are one tensor in the"
                        + " module, and differ in the files; export the model after from_pretrained, which does not"
                        + " tie these weights");
    }

    @Test
    void thePrefixOfTheBaseModelIsAdded() throws IOException {
        HubDirectory source = source(gpt("", DType.F32));
        Tied model = new Tied("", ScalarType.Float);
        source.load(model);
        assertThat(numbers(model, "lm_head.weight")).isEqualTo(WORDS);
        source.save(model, dir.resolve("out"));
        assertThat(specs(dir.resolve("out")))
                .containsExactly("transformer.wte.weight F32[3, 2]", "transformer.ln.weight F32[2]");
    }

    @Test
    void thePrefixOfTheBaseModelIsRemoved() throws IOException {
        List<org.tutti.train.model.Tensor> tensors = new ArrayList<>(gpt("gpt.transformer.", DType.F32));
        tensors.add(stored("cls.weight", new float[] {1}, DType.F32, 1));
        Tied model = new Tied("", ScalarType.Float);
        HubDirectory source = source(tensors);
        assertThatThrownBy(() -> source.load(model))
                .isInstanceOf(TrainingException.class)
                .hasMessage(source.path() + ": the weights do not fit the module: the module has no cls.weight");
        IncompatibleKeys keys = source.loadNonStrict(model);
        assertThat(keys.missingKeys()).isEmpty();
        assertThat(keys.unexpectedKeys()).containsExactly("cls.weight");
        assertThat(numbers(model, "lm_head.weight")).isEqualTo(WORDS);
    }

    @Test
    void thePrefixOfAWrapperIsNotSaved() throws IOException {
        HubDirectory source = source(gpt("transformer.", DType.F32));
        for (HubDirectory directory : List.of(source, source.withPrefix("net."))) {
            Tied model = new Tied("net", ScalarType.Float);
            directory.load(model);
            assertThat(numbers(model, "net.lm_head.weight")).isEqualTo(WORDS);
            directory.save(model, dir.resolve("out"));
            assertThat(specs(dir.resolve("out")))
                    .containsExactly("transformer.wte.weight F32[3, 2]", "transformer.ln.weight F32[2]");
        }
        assertThatThrownBy(() -> source.withPrefix("mlp.").load(new Tied("net", ScalarType.Float)))
                .isInstanceOf(TrainingException.class)
                .hasMessage(source.path() + ": no tensor of the module has the prefix \"mlp.\"; the names are"
                        + " net.transformer.wte.weight, net.transformer.ln.weight, net.lm_head.weight");
    }

    @Test
    void unmatchedTensorsAreReportedBeforeAnyChange() throws IOException {
        HubDirectory source = source(List.of(
                stored("transformer.wte.weight", WORDS, DType.F32, 3, 2),
                stored("transformer.ln.weight", new float[] {1, 2, 3}, DType.F32, 3)));
        Tied model = new Tied("", ScalarType.Float);
        assertThatThrownBy(() -> source.load(model))
                .isInstanceOf(TrainingException.class)
                .hasMessage(source.path() + ": the weights do not fit the module: transformer.ln.weight F32[3] is [2]"
                        + " in the module");
        assertThat(numbers(model, "lm_head.weight")).containsOnly(0);
        assertThatThrownBy(() -> source.save(model, dir.resolve("out")))
                .isInstanceOf(TrainingException.class)
                .hasMessageStartingWith(dir.resolve("out") + ": the source has transformer.ln.weight F32[3], but "
                        + "transformer.ln.weight of the module has the shape [2]; the source must be the directory of");
        HubDirectory other = source(List.of(stored("a", WORDS, DType.F32, 6)));
        assertThatThrownBy(() -> other.save(model, dir.resolve("out")))
                .isInstanceOf(TrainingException.class)
                .hasMessage(dir.resolve("out") + ": none of the source's names is one of the module's; the source has"
                        + " a and the module transformer.wte.weight, transformer.ln.weight; use"
                        + " HubDirectory.withPrefix");
        Files.writeString(
                other.path().resolve("config.json"), "{\"quantization_config\": {\"quant_method\": \"fp8\"}}");
        HubDirectory quantized = HubDirectory.at(other.path());
        assertThatThrownBy(() -> quantized.load(model))
                .isInstanceOf(CheckpointException.class)
                .hasMessage(other.path() + ": the weights are quantized (quant_method fp8), and cannot be trained;"
                        + " convert the model in Python with model.dequantize().save_pretrained(…), or take the"
                        + " original model");
    }

    /// A batch norm. Older files do not have `num_batches_tracked`.
    private static final class Norm extends Module {
        Norm() {
            register_module("LayerNorm", new BatchNorm1dImpl(new BatchNormOptions(2)));
        }
    }

    @Test
    void countersAndOldNamesAreOptional() throws IOException {
        List<org.tutti.train.model.Tensor> tensors = new ArrayList<>(List.of(
                stored("LayerNorm.gamma", NORM, DType.F32, 2),
                stored("LayerNorm.beta", NORM, DType.F32, 2),
                stored("LayerNorm.running_mean", NORM, DType.F32, 2),
                stored("LayerNorm.running_var", NORM, DType.F32, 2)));
        Norm model = new Norm();
        HubDirectory source = source(tensors);
        source.load(model);
        assertThat(numbers(model, "LayerNorm.bias")).isEqualTo(NORM);
        source.save(model, dir.resolve("out"));
        assertThat(specs(dir.resolve("out"))).hasSize(4).noneMatch(s -> s.contains("num_batches_tracked"));
        tensors.add(stored("LayerNorm.num_batches_tracked", new float[] {7}, DType.I64));
        source(tensors).load(model);
        assertThat(numbers(model, "LayerNorm.num_batches_tracked")).containsExactly(7);
        source.save(model, dir.resolve("out"));
        assertThat(specs(dir.resolve("out"))).contains("LayerNorm.num_batches_tracked I64[]");
    }

    @Test
    void otherFilesAreCopiedUnchanged() throws IOException {
        HubDirectory source = source(gpt("transformer.", DType.F32));
        for (String name : List.of("tokenizer.json", "generation_config.json", "merges.txt", "pytorch_model.bin")) {
            Files.writeString(source.path().resolve(name), name + "\r\n");
        }
        Tied model = new Tied("", ScalarType.Float);
        source.load(model);
        source.withFileBytes(24).save(model, dir.resolve("new/model"));
        assertThat(files(dir.resolve("new/model")))
                .containsExactly(
                        "config.json",
                        "generation_config.json",
                        "merges.txt",
                        "model-00001-of-00002.safetensors",
                        "model-00002-of-00002.safetensors",
                        "model.safetensors.index.json",
                        "tokenizer.json");
        for (String name : List.of("config.json", "tokenizer.json")) {
            assertThat(dir.resolve("new/model").resolve(name))
                    .hasSameBinaryContentAs(source.path().resolve(name));
        }
        Tied again = new Tied("", ScalarType.Float);
        HubDirectory.at(dir.resolve("new/model")).load(again);
        assertThat(numbers(again, "lm_head.weight")).isEqualTo(WORDS);
        List<String> before = files(source.path());
        source.save(model, source.path());
        assertThat(files(source.path())).isEqualTo(before);
    }

    private static GraphModel exported(String name) throws IOException {
        return GraphModel.read(Path.of("src/test/resources/org/tutti/train/torch/graph", name + ".pt2"));
    }

    private HubDirectory empty() throws IOException {
        Path source = Files.createDirectories(dir.resolve("empty"));
        Files.writeString(source.resolve("config.json"), "{}");
        return HubDirectory.at(source);
    }

    @Test
    void exportedModelsHaveTiedWeightsOnce() throws IOException {
        GraphModel gpt = exported("gpt2");
        empty().save(gpt, dir.resolve("gpt"));
        assertThat(specs(dir.resolve("gpt")))
                .contains("transformer.wte.weight F32[60, 16]")
                .noneMatch(s -> s.startsWith("lm_head"));
        GraphModel again = exported("gpt2");
        try (NoGradGuard noGradients = new NoGradGuard()) {
            for (long i = 0; i < again.parameters().size(); i++)
                again.parameters().get(i).zero_();
        }
        HubDirectory.at(dir.resolve("gpt")).load(again);
        gpt.state()
                .forEach((name, t) ->
                        assertThat(numbers(again.tensor(name))).as(name).isEqualTo(numbers(t)));
        assertThat(again.tensor("lm_head.weight")).isSameAs(again.tensor("transformer.wte.weight"));
    }

    @Test
    void buffersThatAreNotPersistentAreNotWritten() throws IOException {
        GraphModel mlp = exported("mlp");
        assertThat(mlp.unsaved()).contains("net.3.scale");
        empty().save(mlp, dir.resolve("mlp"));
        assertThat(specs(dir.resolve("mlp")))
                .contains("net.1.num_batches_tracked I64[]", "net.1.running_var F32[16]")
                .noneMatch(s -> s.contains("scale"));
        List<org.tutti.train.model.Tensor> tensors = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            tensors.addAll(ModelFiles.read(dir.resolve("mlp"), arena).tensors());
            tensors.add(stored("net.3.scale", new float[] {5}, DType.F32)); // as older versions have stored it
            source(tensors).load(mlp);
        }
    }
}
