package org.tutti.train.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tutti.train.model.DType;
import org.tutti.train.model.Tensor;

/// Files written by Python's package: `src/test/resources/safetensors/write.py`.
class PythonFilesTest {
    private static final Path FILES = Path.of("src/test/resources/safetensors");
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Arena arena = Arena.ofConfined();

    @AfterEach
    void close() {
        arena.close();
    }

    private static double[] numbers(Tensor t) {
        double[] numbers = new double[Math.toIntExact(t.spec().count())];
        Arrays.setAll(
                numbers,
                i -> number(
                        t.data(), t.spec().dtype(), (long) i * t.spec().dtype().sizeBytes()));
        return numbers;
    }

    private static double number(MemorySegment data, DType type, long at) {
        return switch (type) {
            case F64 -> Double.longBitsToDouble(data.get(LONG, at));
            case F32 -> Float.intBitsToFloat(data.get(INT, at));
            case F16 -> Float.float16ToFloat(data.get(SHORT, at));
            case BF16 -> Float.intBitsToFloat(data.get(SHORT, at) << 16);
            case F8_E4M3 -> eightBits(data.get(ValueLayout.JAVA_BYTE, at), 3, 7);
            case F8_E5M2 -> eightBits(data.get(ValueLayout.JAVA_BYTE, at), 2, 15);
            case I64, U64 -> data.get(LONG, at);
            case I32 -> data.get(INT, at);
            case U32 -> Integer.toUnsignedLong(data.get(INT, at));
            case I16 -> data.get(SHORT, at);
            case U16 -> Short.toUnsignedInt(data.get(SHORT, at));
            case I8 -> data.get(ValueLayout.JAVA_BYTE, at);
            case U8, BOOL -> data.get(ValueLayout.JAVA_BYTE, at) & 0xff;
        };
    }

    /// Decodes an 8-bit float: a sign, an exponent and a mantissa.
    private static double eightBits(byte bits, int mantissaBits, int bias) {
        int exponent = (bits & 0x7f) >> mantissaBits, mantissa = bits & ((1 << mantissaBits) - 1);
        double one = exponent == 0 ? 0 : 1;
        double absolute =
                (one + (double) mantissa / (1 << mantissaBits)) * Math.pow(2, Math.max(exponent, 1) - (double) bias);
        return bits < 0 ? -absolute : absolute;
    }

    private static double[] withCommon(double last) {
        return new double[] {0, 1, -2.5, 0.15625, last};
    }

    @Test
    void everyTypeHasItsNumbers() throws IOException {
        Safetensors file = Safetensors.read(FILES.resolve("types.safetensors"), arena);
        assertThat(file.metadata()).containsExactly(Map.entry("format", "pt"));
        Map<String, double[]> expected = Map.ofEntries(
                Map.entry("f64", withCommon(0x1p53 - 1)),
                Map.entry("f32", withCommon(16777215)),
                Map.entry("f16", withCommon(65504)),
                Map.entry("bf16", withCommon(1.0078125)),
                Map.entry("f8_e4m3", withCommon(448)),
                Map.entry("f8_e5m2", withCommon(57344)),
                Map.entry("i64", new double[] {Long.MIN_VALUE, Long.MAX_VALUE}),
                Map.entry("i32", new double[] {Integer.MIN_VALUE, Integer.MAX_VALUE}),
                Map.entry("i16", new double[] {Short.MIN_VALUE, Short.MAX_VALUE}),
                Map.entry("i8", new double[] {-128, 127}),
                Map.entry("u8", new double[] {0, 255}),
                Map.entry("bool", new double[] {0, 1}));
        // the file has no tensors of the types U16, U32 and U64
        assertThat(file.tensors()).hasSize(expected.size()).hasSize(DType.values().length - 3);
        for (Tensor t : file.tensors()) {
            assertThat(t.spec().dtype().name()).isEqualToIgnoringCase(t.name());
            assertThat(numbers(t)).as("%s", t.spec()).isEqualTo(expected.get(t.name()));
        }
    }

    @Test
    void shapesNamesAndTextsAreAsPythonHasThem() throws IOException {
        Safetensors file = Safetensors.read(FILES.resolve("shapes.safetensors"), arena);
        assertThat(file.metadata())
                .containsExactlyInAnyOrderEntriesOf(Map.of("format", "np", "note", "Zahlen, 数\nzwei Zeilen"));
        assertThat(file.tensors())
                .extracting(t -> t.spec().toString())
                .containsExactlyInAnyOrder(
                        "scalar F32[]",
                        "empty F32[0, 3]",
                        "also.empty I64[2, 0]",
                        "model.layers.0.self_attn.q_proj.weight F32[2, 3]",
                        "model.layers.10.self_attn.q_proj.weight F32[3, 2]",
                        "Größe \"in\" \\ 桁 I32[1]");
        assertThat(numbers(file.tensor("scalar"))).containsExactly(7.5);
        assertThat(numbers(file.tensor("empty"))).isEmpty();
        assertThat(numbers(file.tensor("Größe \"in\" \\ 桁"))).containsExactly(-1);
        assertThat(numbers(file.tensor("model.layers.0.self_attn.q_proj.weight")))
                .containsExactly(0, 1, 2, 3, 4, 5);
        assertThat(numbers(file.tensor("model.layers.10.self_attn.q_proj.weight")))
                .containsExactly(6, 7, 8, 9, 10, 11);
    }

    @Test
    void aModelInSeveralFilesIsOne() throws IOException {
        Safetensors model = ModelFiles.read(FILES.resolve("sharded"), arena);
        assertThat(model.tensors())
                .extracting(t -> t.spec().toString())
                .containsExactly(
                        "model.fc1.bias F16[3]",
                        "model.fc1.weight BF16[3, 2]",
                        "model.fc2.bias F8_E5M2[1]",
                        "model.fc2.weight F8_E4M3[1, 3]");
        assertThat(numbers(model.tensor("model.fc1.weight"))).containsExactly(0.5, -1.5, 2, 3, -0.25, 1.0078125);
        assertThat(numbers(model.tensor("model.fc2.weight"))).containsExactly(1, -2.5, 448);
    }
}
