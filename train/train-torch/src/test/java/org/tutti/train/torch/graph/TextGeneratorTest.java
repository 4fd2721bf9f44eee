package org.tutti.train.torch.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.LongStream;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.TensorVector;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.train.TrainingException;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.model.Tensor;
import org.tutti.train.torch.tensor.LibTorch;

/// Compares texts with the texts that Python's transformers library generates, in
/// `src/test/python/generate.py`.
class TextGeneratorTest {
    private static final Path FILES = Path.of("src/test/resources/org/tutti/train/torch/graph");
    private static final int FACTOR = 8, STOP = 2;

    @BeforeAll
    static void libtorch() {
        new LibTorch().prepare(OptionalInt.of(1));
    }

    /// Returns a model in evaluation mode, with the weights multiplied by the same factor as in Python.
    private static GraphModel model(String name) throws IOException {
        GraphModel model = GraphModel.read(FILES.resolve(name + ".pt2"));
        try (NoGradGuard noGradients = new NoGradGuard()) {
            TensorVector parameters = model.parameters();
            for (long i = 0; i < parameters.size(); i++) parameters.get(i).mul_(new Scalar(FACTOR));
        }
        model.eval();
        return model;
    }

    private static List<Tensor> figures(Arena arena) throws IOException {
        return Safetensors.read(FILES.resolve("generate.safetensors"), arena).tensors();
    }

    private static long[] tokens(String name) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            return new Safetensors(figures(arena), Map.of())
                    .tensor(name)
                    .data()
                    .toArray(ValueLayout.JAVA_LONG_UNALIGNED);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gpt2", "llama"})
    void greedyTextsEqualTransformers(String name) throws IOException {
        long[] prompt = tokens(name + ".prompt"), expected = tokens(name + ".tokens");
        TextGenerator generator = TextGenerator.of(model(name)).withStopToken(STOP);
        assertThat(generator.generate(prompt)).containsExactly(expected);
        assertThat(generator.withMaxTokens(3).generate(prompt)).containsExactly(Arrays.copyOf(expected, 3));
        assertThat(generator.withTemperature(1e-4).generate(prompt))
                .as("nearly zero")
                .containsExactly(expected);
        assertThat(generator.withTopK(1).generate(prompt)).containsExactly(expected);
    }

    @Test
    void probabilitiesEqualTransformers() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            List<Tensor> figures = figures(arena);
            float[] logits = new Safetensors(figures, Map.of())
                    .tensor("logits")
                    .data()
                    .toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
            int compared = 0;
            for (Tensor t : figures) {
                if (!t.name().startsWith("kept ")) continue;
                String[] parts = t.name().split(" ");
                double[] found = TextGenerator.probabilities(
                        logits, Double.parseDouble(parts[1]), Integer.parseInt(parts[2]), Double.parseDouble(parts[3]));
                assertThat(found)
                        .as(t.name())
                        .containsExactly(t.data().toArray(ValueLayout.JAVA_DOUBLE_UNALIGNED), within(1e-6));
                compared++;
            }
            assertThat(compared).isEqualTo(5);
        }
    }

    @Test
    void drawsFollowTheProbabilities() throws IOException {
        TextGenerator drawing =
                TextGenerator.of(model("gpt2")).withTemperature(30).withMaxTokens(1);
        int[] counts = new int[60];
        for (int seed = 0; seed < 60; seed++) {
            long[] text = drawing.withSeed(seed).generate(5, 6, 7);
            assertThat(drawing.withSeed(seed).generate(5, 6, 7)).containsExactly(text);
            counts[(int) text[0]]++;
        }
        assertThat(Arrays.stream(counts).filter(c -> c > 0).count()).isGreaterThan(15);
        TextGenerator few = drawing.withTopK(2);
        assertThat(LongStream.range(0, 20)
                        .map(s -> few.withSeed(s).generate(5, 6, 7)[0])
                        .distinct()
                        .count())
                .isEqualTo(2);
    }

    @Test
    void textsEndAtTheLongestSequence() throws IOException {
        GraphModel gpt = model("gpt2");
        TextGenerator generator = TextGenerator.of(gpt).withMaxTokens(100);
        assertThat(generator.generate(5, 6)).hasSize(30);
        long[] prompt = LongStream.range(3, 36).toArray();
        assertThatThrownBy(() -> generator.generate(prompt))
                .isInstanceOf(TrainingException.class)
                .hasMessage("gpt2.pt2: the prompt has 33 tokens; the model was exported for at most 32");
        assertThat(generator.generate(Arrays.copyOf(prompt, 32))).isEmpty();
    }

    @Test
    void otherModelsAndOptionsAreRefused() throws IOException {
        GraphModel mlp = GraphModel.read(FILES.resolve("mlp.pt2"));
        assertThatThrownBy(() -> TextGenerator.of(mlp))
                .isInstanceOf(TrainingException.class)
                .hasMessage("mlp.pt2 has no input input_ids; the inputs are x, labels");
        GraphModel bert = model("bert");
        assertThatThrownBy(() -> TextGenerator.of(bert).generate(3, 4))
                .isInstanceOf(TrainingException.class)
                .hasMessageStartingWith("bert.pt2: ");
        GraphModel llama = GraphModel.read(FILES.resolve("llama.pt2"));
        TextGenerator generator = TextGenerator.of(llama);
        assertThatThrownBy(() -> generator.generate())
                .isInstanceOf(TrainingException.class)
                .hasMessage("llama.pt2: the prompt has no tokens");
        assertThatThrownBy(() -> generator.withTemperature(0)).hasMessage("temperature 0.0; it must be positive");
        assertThatThrownBy(() -> generator.withTopK(0)).hasMessage("top-k 0; at least 1");
        assertThatThrownBy(() -> generator.withTopP(1.1)).hasMessage("top-p 1.1; more than 0, at most 1");
        assertThatThrownBy(() -> generator.withMaxTokens(0)).hasMessage("at most 0 tokens; at least 1");
        Lora.on(llama).dropout(0.1).targets("q_proj");
        assertThatThrownBy(() -> generator.generate(3, 4))
                .isInstanceOf(TrainingException.class)
                .hasMessage("llama.pt2 is in train mode; call eval() before text is generated");
    }
}
