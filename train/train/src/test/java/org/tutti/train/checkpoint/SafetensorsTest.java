package org.tutti.train.checkpoint;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.train.model.DType;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;

class SafetensorsTest {
    @TempDir
    private Path dir;

    private static Tensor floats(String name, float... values) {
        return new Tensor(
                new TensorSpec(name, DType.F32, List.of((long) values.length)), MemorySegment.ofArray(values));
    }

    private static final Safetensors SOME = new Safetensors(
            List.of(
                    floats("w", 1, 2, 3),
                    new Tensor(new TensorSpec("n", DType.I64, List.of()), MemorySegment.ofArray(new long[] {-7})),
                    new Tensor(new TensorSpec("none", DType.BF16, List.of(0L, 4L)), MemorySegment.NULL),
                    new Tensor(new TensorSpec("m", DType.U8, List.of(1L, 3L)), MemorySegment.ofArray(new byte[] {1, 2, 3
                    }))),
            Map.of("step", "12", "loss \"mean\"", "0.5"));

    private Path write(Safetensors state) throws IOException {
        Path file = dir.resolve("a.safetensors");
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            state.write(channel);
        }
        return file;
    }

    @Test
    void writtenFilesAreRead() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            Safetensors read = Safetensors.read(write(SOME), arena);
            assertThat(read.metadata()).isEqualTo(SOME.metadata());
            assertThat(read.tensors())
                    .extracting(Tensor::spec)
                    .isEqualTo(SOME.tensors().stream().map(Tensor::spec).toList());
            for (Tensor t : SOME.tensors()) {
                assertThat(read.tensor(t.name()).data().mismatch(t.data()))
                        .as(t.name())
                        .isEqualTo(-1);
            }
            assertThat(read.tensor("w").data().get(JAVA_FLOAT, 8)).isEqualTo(3);
            assertThatThrownBy(() -> read.tensor("x")).hasMessageContaining("no tensor x; there are [w, n, none, m]");
        }
    }

    @Test
    void theBytesAreTheFormats() throws IOException {
        byte[] bytes = Files.readAllBytes(write(new Safetensors(List.of(floats("w", 1, 2)), Map.of())));
        String header = "{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}";
        ByteBuffer expected = ByteBuffer.allocate(8 + 56 + 8).order(ByteOrder.LITTLE_ENDIAN);
        expected.putLong(56).put(header.getBytes(StandardCharsets.UTF_8));
        while (expected.position() < 64) expected.put((byte) ' ');
        expected.putFloat(1).putFloat(2);
        assertThat(bytes).isEqualTo(expected.array());
    }

    @Test
    void tensorsMayBeNamedInAnyOrder() throws IOException {
        String header = "{\"b\":{\"dtype\":\"U16\",\"shape\":[2],\"data_offsets\":[0,4]},"
                + "\"a\":{\"dtype\":\"U32\",\"shape\":[0],\"data_offsets\":[0,0]},"
                + "\"d\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[12,16]},"
                + "\"c\":{\"dtype\":\"U64\",\"shape\":[1],\"data_offsets\":[4,12]}}";
        ByteBuffer bytes = ByteBuffer.allocate(8 + header.length() + 16).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(header.length()).put(header.getBytes(StandardCharsets.UTF_8));
        bytes.putShort((short) 1).putShort((short) 2).putLong(3).putFloat(4);
        Path file = Files.write(dir.resolve("order"), bytes.array());
        try (Arena arena = Arena.ofConfined()) {
            Safetensors read = Safetensors.read(file, arena);
            assertThat(read.tensors().stream().map(t -> t.spec().toString()))
                    .containsExactly("a U32[0]", "b U16[2]", "c U64[1]", "d F32[1]");
            assertThat(read.tensor("d").data().get(JAVA_FLOAT, 0)).isEqualTo(4);
        }
    }

    @Test
    void aFileThatIsCutAnywhereIsRefused() throws IOException {
        byte[] whole = Files.readAllBytes(write(SOME));
        for (int length = 0; length < whole.length; length++) {
            Path file = Files.write(dir.resolve("cut"), Arrays.copyOf(whole, length));
            try (Arena arena = Arena.ofConfined()) {
                assertThatThrownBy(() -> Safetensors.read(file, arena))
                        .as("cut to %d bytes", length)
                        .isInstanceOf(CheckpointException.class)
                        .hasMessageStartingWith(file.toString());
            }
        }
    }

    @Test
    void nonsenseInTheHeaderIsNamed() throws IOException {
        refused("{\"w\":{\"dtype\":\"F33\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8, "F33");
        refused(
                "{\"w\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,8]}}",
                8,
                "w F32[3] has the offsets 0 to 8");
        refused("{\"w\":{\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]}}", 8, "a dimension of -2");
        refused("{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,16]}}", 16, "begins at 0");
        refused("{\"w\":{\"dtype\":\"F32\",\"shape\":[2]}}", 8, "lacks the type, the shape or the offsets");
        refused("{\"w\":{\"dtype\":\"F32\",\"shape\":[2.5],\"data_offsets\":[0,8]}}", 8, "VALUE_NUMBER_FLOAT");
        refused("{\"w\":[1]}", 8, "START_ARRAY");
        refused("[]", 0, "START_ARRAY");
        refused("{}", 3, "3 bytes are of no tensor");
        refused("{\"w\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904,4],\"data_offsets\":[0,8]}}", 8, "overflow");
    }

    private void refused(String header, int dataBytes, String why) throws IOException {
        byte[] text = header.getBytes(StandardCharsets.UTF_8);
        ByteBuffer all = ByteBuffer.allocate(8 + text.length + dataBytes).order(ByteOrder.LITTLE_ENDIAN);
        all.putLong(text.length).put(text);
        Path file = Files.write(dir.resolve("bad"), all.array());
        try (Arena arena = Arena.ofConfined()) {
            assertThatThrownBy(() -> Safetensors.read(file, arena))
                    .isInstanceOf(CheckpointException.class)
                    .hasMessageContaining(why);
        }
    }

    @Test
    void twoTensorsOfOneNameAreRefused() {
        assertThatThrownBy(() -> new Safetensors(List.of(floats("w", 1), floats("w", 2)), Map.of()))
                .hasMessageContaining("called w");
    }
}
