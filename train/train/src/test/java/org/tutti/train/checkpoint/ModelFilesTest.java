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
}
