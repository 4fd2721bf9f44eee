package org.tutti.train.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.train.model.DType;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;

class ModelFilesTest {
    @TempDir
    Path dir;

    private final Arena arena = Arena.ofConfined();

    @AfterEach
    void close() {
        arena.close();
    }

    private static Tensor tensor(String name, DType type, long count) {
        byte[] bytes = new byte[Math.toIntExact(count * type.sizeBytes())];
        for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) (name.hashCode() + i);
        return new Tensor(new TensorSpec(name, type, List.of(count)), MemorySegment.ofArray(bytes));
    }

    private void write(String file, Map<String, String> metadata, Tensor... tensors) throws IOException {
        try (FileChannel to =
                FileChannel.open(dir.resolve(file), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            new Safetensors(List.of(tensors), metadata).write(to);
        }
    }

    private Safetensors read(String name) throws IOException {
        return ModelFiles.read(dir.resolve(name), arena);
    }

    private void twoShards() throws IOException {
        write("model-00001-of-00002.safetensors", Map.of("format", "pt"), tensor("a", DType.BF16, 3));
        write("model-00002-of-00002.safetensors", Map.of(), tensor("b", DType.F8_E4M3, 5), tensor("c", DType.F16, 1));
    }

    @Test
    void severalFilesAreOneModel() throws IOException {
        twoShards();
        Files.writeString(dir.resolve("model.safetensors.index.json"), """
                {"metadata": {"total_size": 13}, "weight_map": {
                    "c": "model-00002-of-00002.safetensors",
                    "a": "model-00001-of-00002.safetensors",
                    "b": "model-00002-of-00002.safetensors"}}""");
        for (String where : new String[] {"", "model.safetensors.index.json"}) {
            Safetensors all = read(where);
            assertThat(all.tensors())
                    .extracting(t -> t.spec().toString())
                    .containsExactly("c F16[1]", "a BF16[3]", "b F8_E4M3[5]");
            assertThat(all.tensor("b")
                            .data()
                            .mismatch(tensor("b", DType.F8_E4M3, 5).data()))
                    .isEqualTo(-1);
            assertThat(all.metadata()).containsExactly(Map.entry("format", "pt"));
        }
    }

    @Test
    void oneFileIsAModelToo() throws IOException {
        write("model.safetensors", Map.of(), tensor("w", DType.F32, 2));
        assertThat(read("").tensors()).hasSize(1);
        assertThat(read("model.safetensors")
                        .mapNames(n -> "net." + n)
                        .tensor("net.w")
                        .spec()
                        .count())
                .isEqualTo(2);
    }

    @Test
    void directoriesWithoutAModelAreReported() throws IOException {
        assertThatThrownBy(() -> read(""))
                .isInstanceOf(CheckpointException.class)
                .hasMessage(dir + " has neither a file *.safetensors.index.json nor one *.safetensors");
        twoShards();
        assertThatThrownBy(() -> read(""))
                .hasMessage(dir + " has 2 models: [model-00001-of-00002.safetensors, model-00002-of-00002.safetensors];"
                        + " name one model");
        Path index = dir.resolve("model.safetensors.index.json");
        Files.writeString(index, "{\"weight_map\": {\"b\": \"model-00001-of-00002.safetensors\"}}");
        assertThatThrownBy(() -> read(""))
                .hasMessage(index + " lists b in model-00001-of-00002.safetensors, which has 1 tensors and not"
                        + " this one");
        Files.writeString(index, "{\"weight_map\": {}}");
        assertThatThrownBy(() -> read("")).hasMessage(index + " names no tensors; is it an index of safetensors?");
        Files.writeString(index, "{\"weight_map\": {\"b\": 3}}");
        assertThatThrownBy(() -> read("")).hasMessage(index + ": the location of b is not a file");
        Files.writeString(index, "{\"weight");
        assertThatThrownBy(() -> read("")).hasMessageStartingWith(index + " is not an index: ");
    }

    @Test
    void indexesCannotLeaveTheDirectory() throws IOException {
        Path index = Files.createDirectory(dir.resolve("model")).resolve("model.safetensors.index.json");
        write("secret.safetensors", Map.of(), tensor("a", DType.F32, 1));
        for (String file : new String[] {
            "../secret.safetensors", dir.resolve("secret.safetensors").toString(), "..\\\\secret.safetensors", "..", ""
        }) {
            Files.writeString(index, "{\"weight_map\": {\"a\": \"" + file + "\"}}");
            assertThatThrownBy(() -> read("model"))
                    .isInstanceOf(CheckpointException.class)
                    .hasMessage(index + ": the location of a is \"" + file.replace("\\\\", "\\")
                            + "\"; it must be a file *.safetensors in the directory of the index");
        }
    }

    private static Safetensors threeTensors() {
        return new Safetensors(
                List.of(tensor("a", DType.U8, 3), tensor("b", DType.F32, 2), tensor("c", DType.BF16, 3)),
                Map.of("format", "pt"));
    }

    private List<String> files() {
        return List.of(Objects.requireNonNull(dir.toFile().list())).stream()
                .sorted()
                .toList();
    }

    @Test
    void smallModelsAreWrittenAsOneFile() throws IOException {
        ModelFiles.write(dir, threeTensors(), 17);
        assertThat(files()).containsExactly("model.safetensors");
        Safetensors read = read("");
        assertThat(read.tensors()).extracting(Tensor::name).containsExactly("b", "c", "a");
        assertThat(read.tensor("a").data().mismatch(tensor("a", DType.U8, 3).data()))
                .isEqualTo(-1);
        assertThat(read.metadata()).containsExactly(Map.entry("format", "pt"));
    }

    @Test
    void largeModelsAreWrittenAsFilesWithAnIndex() throws IOException {
        Path fresh = dir.resolve("new/model");
        ModelFiles.write(fresh, threeTensors(), 9);
        assertThat(Files.readString(fresh.resolve("model.safetensors.index.json")))
                .contains("\"total_size\" : 17", "\"a\" : \"model-00002-of-00002.safetensors\"")
                .contains("\"b\" : \"model-00001-of-00002.safetensors\"");
        Safetensors read = ModelFiles.read(fresh, arena);
        assertThat(read.tensors())
                .extracting(t -> t.spec().toString())
                .containsExactlyInAnyOrder("a U8[3]", "b F32[2]", "c BF16[3]");
        assertThat(read.metadata()).containsExactly(Map.entry("format", "pt"));
    }

    @Test
    void aNewModelReplacesFilesOfThePreviousOne() throws IOException {
        Files.writeString(dir.resolve("config.json"), "{}");
        write("adapter_model.safetensors", Map.of(), tensor("x", DType.F32, 1));
        ModelFiles.write(dir, threeTensors(), 1);
        assertThat(files()).hasSize(6).contains("model-00003-of-00003.safetensors");
        ModelFiles.write(dir, threeTensors(), 100);
        assertThat(files()).containsExactly("adapter_model.safetensors", "config.json", "model.safetensors");
        ModelFiles.write(dir, threeTensors(), 9);
        assertThat(files())
                .containsExactly(
                        "adapter_model.safetensors",
                        "config.json",
                        "model-00001-of-00002.safetensors",
                        "model-00002-of-00002.safetensors",
                        "model.safetensors.index.json");
        assertThatThrownBy(() -> ModelFiles.write(dir, threeTensors(), 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("files of 0 bytes; at least 1");
    }
}
