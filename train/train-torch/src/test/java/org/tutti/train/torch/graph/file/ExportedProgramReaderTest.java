package org.tutti.train.torch.graph.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.train.checkpoint.CheckpointException;
import org.tutti.train.model.DType;

/// Reads files that PyTorch has written.
final class ExportedProgramReaderTest {
    @TempDir
    private Path directory;

    private final Arena arena = Arena.ofConfined();
    private final List<String> warnings = new ArrayList<>();

    @AfterEach
    void close() {
        arena.close();
    }

    private ExportedProgram read(byte[] file) throws IOException {
        return ExportedProgramReader.read(EditedArchive.write(file, directory), arena, warnings::add);
    }

    private ExportedProgram read(String program) throws IOException {
        return read(EditedArchive.resource(program + ".pt2"));
    }

    @Test
    void readsTheGraph() throws IOException {
        ExportedProgram program = read("mlp");

        assertThat(program.torchVersion()).isEqualTo("2.13.0+cpu");
        assertThat(program.isTraining()).isTrue();
        assertThat(program.sha256()).isEqualTo(sha256("mlp/models/model.json"));
        assertThat(program.ranges()).isEqualTo(Map.of("s77", new ExportedProgram.Range(2, Long.MAX_VALUE)));
        assertThat(program.graph().nodes()).hasSize(9);
        Node linear = program.graph().nodes().getFirst();
        assertThat(linear.target()).isEqualTo("torch.ops.aten.linear.default");
        assertThat(linear.inputs())
                .containsExactly(
                        new Node.Input("input", new Argument.TensorValue("x"), false),
                        new Node.Input("weight", new Argument.TensorValue("p_net_0_weight"), false),
                        new Node.Input("bias", new Argument.TensorValue("p_net_0_bias"), false));
        assertThat(linear.outputs()).containsExactly(new Argument.TensorValue("linear"));
        assertThat(warnings).isEmpty();
    }

    private static String sha256(String entry) {
        byte[] text = Objects.requireNonNull(EditedArchive.of("mlp").entries().get(entry));
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void namesTheLineOfTheModel() throws IOException {
        assertThat(read("mlp").graph().nodes().getFirst().source())
                .matches("architectures.py:\\d+, logits = self.net\\(x\\)");
    }

    @Test
    void namesTheInnermostLineIfAllAreInPyTorch() throws IOException {
        assertThat(read("resnet").graph().nodes().getFirst().source())
                .isEqualTo("conv.py:565, return self._conv_forward(input, self.weight, self.bias)");
    }

    @Test
    void bindsInputsAndOutputs() throws IOException {
        ExportedProgram program = read("mlp");

        assertThat(program.inputNames()).containsExactly("x", "labels");
        assertThat(program.outputNames()).containsExactly("loss", "logits");
        assertThat(program.signature().inputs())
                .contains(
                        new ProgramSignature.Input.Parameter("p_net_0_weight", "net.0.weight"),
                        new ProgramSignature.Input.Buffer("b_net_1_running_mean", "net.1.running_mean", true))
                .endsWith(
                        new ProgramSignature.Input.User(new Argument.TensorValue("x")),
                        new ProgramSignature.Input.User(new Argument.TensorValue("labels")));
    }

    @Test
    void tensorsAreTheEntries() throws IOException {
        EditedArchive archive = EditedArchive.of("mlp");
        StoredTensor weight =
                Objects.requireNonNull(read(archive.stored()).weights().get("net.0.weight"));

        assertThat(weight.type()).isEqualTo(DType.F32);
        assertThat(weight.sizes()).containsExactly(16L, 8L);
        assertThat(weight.strides()).containsExactly(8L, 1L);
        assertThat(weight.isParameter()).isTrue();
        assertThat(weight.requiresGradient()).isTrue();
        assertThat(weight.storage().toArray(ValueLayout.JAVA_BYTE))
                .isEqualTo(archive.entries().get("mlp/data/weights/weight_0"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"mlp", "lstm", "dropout", "bert", "gpt2", "llama", "t5", "resnet", "swin", "mixtral", "deberta"})
    void readsEveryProgram(String name) throws IOException {
        ExportedProgram program = read(name);

        assertThat(program.graph().nodes()).isNotEmpty();
        assertThat(program.weights().values())
                .allSatisfy(t -> assertThat(t.storage().address() % 64).isZero());
    }

    @Test
    void storedAndDeflatedEntriesAreTheSameProgram() throws IOException {
        EditedArchive archive = EditedArchive.of("mlp");
        ExportedProgram stored = read(archive.stored()), deflated = read(archive.deflated());

        assertThat(stored.graph()).isEqualTo(deflated.graph());
        assertThat(stored.signature()).isEqualTo(deflated.signature());
        stored.weights().forEach((name, weight) -> {
            StoredTensor other = Objects.requireNonNull(deflated.weights().get(name));
            assertThat(weight.storage().mismatch(other.storage())).isEqualTo(-1);
        });
    }

    @Test
    void tiedWeightsAreTheSame() throws IOException {
        Map<String, StoredTensor> weights = read("gpt2").weights();
        StoredTensor head = Objects.requireNonNull(weights.get("lm_head.weight"));

        assertThat(head.isSame(Objects.requireNonNull(weights.get("transformer.wte.weight"))))
                .isTrue();
        assertThat(head.isSame(Objects.requireNonNull(weights.get("transformer.wpe.weight"))))
                .isFalse();
    }

    @Test
    void writingToATensorLeavesTheFile() throws IOException {
        byte[] file = EditedArchive.resource("mlp.pt2");
        Path path = EditedArchive.write(file, directory);
        StoredTensor weight = Objects.requireNonNull(
                ExportedProgramReader.read(path, arena).weights().get("net.0.weight"));
        weight.storage().fill((byte) 7);

        assertThat(Files.readAllBytes(path)).isEqualTo(file);
    }

    @Test
    void readsAFileThatIsNotWritable() throws IOException {
        Path file = EditedArchive.write(EditedArchive.resource("mlp.pt2"), directory);
        assertThat(file.toFile().setWritable(false)).isTrue();
        StoredTensor weight = Objects.requireNonNull(
                ExportedProgramReader.read(file, arena).weights().get("net.0.weight"));
        weight.storage().fill((byte) 7);

        assertThat(weight.storage().address() % 64).isZero();
    }

    @Test
    void readsASubgraph() throws IOException {
        assertThat(read("llama").graph().nodes())
                .flatExtracting(Node::inputs)
                .extracting(Node.Input::value)
                .hasAtLeastOneElementOfType(Argument.SubGraph.class);
    }

    @Test
    void sizesAreExpressionsOfSymbols() throws IOException {
        TensorMeta x = Objects.requireNonNull(read("mlp").graph().tensors().get("x"));

        assertThat(x.dtype()).isEqualTo(7);
        assertThat(x.device()).isEqualTo("cpu");
        assertThat(x.sizes().getFirst()).isInstanceOfSatisfying(TensorMeta.Size.Expression.class, size -> {
            assertThat(size.text()).isEqualTo("s77");
            assertThat(size.hint()).isPositive();
        });
        assertThat(x.sizes().get(1)).isEqualTo(new TensorMeta.Size.Fixed(8));
    }

    @Test
    void anotherMinorVersionIsReadWithAWarning() throws IOException {
        ExportedProgram program = read(EditedArchive.of("mlp")
                .replace(EditedArchive.MODEL, "\"minor\": 20", "\"minor\": 99")
                .stored());

        assertThat(warnings)
                .containsExactly(program.file() + " has version 8.99 of the format; the tested version is 8.20");
    }

    @Test
    void unknownFieldsAreSkipped() throws IOException {
        ExportedProgram program = read(EditedArchive.of("mlp")
                .replace(EditedArchive.MODEL, "{", "{\"new\": [{\"a\": [1, null]}], ")
                .replace(EditedArchive.MODEL, "{\"target\"", "{\"new\": {\"b\": 1}, \"target\"")
                .stored());

        assertThat(program.graph().nodes()).hasSize(9);
    }

    @ParameterizedTest
    @ValueSource(strings = {"2.13", "2.8", "2.6"})
    void readsTheLayoutsOfAllVersions(String torch) throws IOException {
        ExportedProgram program = read(torch.equals("2.13") ? "mlp" : "mlp-" + torch), newest = read("mlp");

        assertThat(program.graph().nodes()).hasSameSizeAs(newest.graph().nodes());
        assertThat(program.signature()).isEqualTo(newest.signature());
        newest.weights().forEach((name, expected) -> {
            StoredTensor weight = Objects.requireNonNull(program.weights().get(name));
            assertThat(weight.sizes()).isEqualTo(expected.sizes());
            assertThat(weight.strides()).isEqualTo(expected.strides());
            assertThat(weight.isParameter()).isEqualTo(expected.isParameter());
            assertThat(weight.requiresGradient()).isEqualTo(expected.requiresGradient());
            assertThat(weight.storage().mismatch(expected.storage())).isEqualTo(-1);
        });
    }

    @Test
    void aMissingFileIsNamed() {
        Path file = directory.resolve("missing.pt2");

        assertThatThrownBy(() -> ExportedProgramReader.read(file, arena))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessage(file.toString());
    }

    @Test
    void aDirectoryIsRefused() {
        assertThatThrownBy(() -> ExportedProgramReader.read(directory, arena))
                .isInstanceOf(CheckpointException.class)
                .hasMessage(directory + " is not a file but a directory, device or pipe");
    }
}
