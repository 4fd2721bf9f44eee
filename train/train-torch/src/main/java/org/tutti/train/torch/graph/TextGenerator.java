package org.tutti.train.torch.graph;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.tutti.train.TrainingException;
import org.tutti.train.torch.tensor.Tensors;

/// Continues a text with a causal language model, one token after the other. The tokens are numbers of the model's
/// tokenizer.
///
///     gpt.eval();
///     TextGenerator greedy = TextGenerator.of(gpt).withStopToken(50256).withMaxTokens(40);
///     long[] continuation = greedy.generate(prompt);
///     long[] other = greedy.withTemperature(0.8).withTopP(0.95).withSeed(7).generate(prompt);
///
/// By default the most probable token is chosen, as Python's `generate(do_sample=False)` does; with a temperature,
/// top-k or top-p, tokens are drawn. The model computes the whole sequence again for each token, because an
/// exported program has no cache of keys and values. Use it for short texts, such as samples during training.
///
/// The model must have the input `input_ids`, and return `logits` or a single output. Further inputs can be
/// `attention_mask`, `position_ids`, `token_type_ids` and `labels`.
public final class TextGenerator {
    private static final int DEFAULT_TOKENS = 20;

    private final GraphModel model;
    private final Options options;

    /// @param temperature 0 for the most probable token
    /// @param topK the number of tokens that can be drawn
    /// @param topP the least total probability of the tokens that can be drawn
    /// @param hasSeed whether draws are repeatable
    /// @param stop the token after which a text ends; negative for none
    private record Options(
            double temperature, int topK, double topP, boolean hasSeed, long seed, long stop, int maxTokens) {}

    private TextGenerator(GraphModel model, Options options) {
        this.model = model;
        this.options = options;
    }

    /// Returns a generator that continues a text by at most 20 tokens, and always chooses the most probable
    /// token.
    ///
    /// @throws TrainingException if the model does not have the inputs of a causal language model
    public static TextGenerator of(GraphModel model) {
        if (!model.inputNames().contains("input_ids")) {
            throw new TrainingException(
                    model.file() + " has no input input_ids; the inputs are " + String.join(", ", model.inputNames()));
        }
        for (String name : model.inputNames()) {
            switch (name) {
                case "input_ids", "attention_mask", "position_ids", "token_type_ids", "labels" -> {}
                default ->
                    throw new TrainingException(model.file() + " has the input " + name + ", which text generation"
                            + " cannot fill; export a causal language model with input_ids and attention_mask");
            }
        }
        return new TextGenerator(model, new Options(0, Integer.MAX_VALUE, 1, false, 0, -1, DEFAULT_TOKENS));
    }

    /// Draws tokens at random. The probabilities are computed from the logits, divided by `temperature`.
    public TextGenerator withTemperature(double temperature) {
        if (!(temperature > 0 && temperature < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("temperature " + temperature + "; it must be positive");
        }
        return with(new Options(
                temperature,
                options.topK,
                options.topP,
                options.hasSeed,
                options.seed,
                options.stop,
                options.maxTokens));
    }

    /// Draws only from the `count` most probable tokens.
    public TextGenerator withTopK(int count) {
        if (count < 1) throw new IllegalArgumentException("top-k " + count + "; at least 1");
        return with(new Options(
                drawn(), count, options.topP, options.hasSeed, options.seed, options.stop, options.maxTokens));
    }

    /// Draws only from the most probable tokens: from the smallest number of tokens with a total probability of
    /// at least `sum`.
    public TextGenerator withTopP(double sum) {
        if (!(sum > 0 && sum <= 1)) throw new IllegalArgumentException("top-p " + sum + "; more than 0, at most 1");
        return with(new Options(
                drawn(), options.topK, sum, options.hasSeed, options.seed, options.stop, options.maxTokens));
    }

    /// Sets the seed for reproducible draws: the same prompt always results in the same text.
    public TextGenerator withSeed(long seed) {
        return with(new Options(
                options.temperature, options.topK, options.topP, true, seed, options.stop, options.maxTokens));
    }

    /// Ends a text after this token.
    public TextGenerator withStopToken(long token) {
        return with(new Options(
                options.temperature,
                options.topK,
                options.topP,
                options.hasSeed,
                options.seed,
                token,
                options.maxTokens));
    }

    /// Ends a text after `count` tokens, not counting the prompt.
    public TextGenerator withMaxTokens(int count) {
        if (count < 1) throw new IllegalArgumentException("at most " + count + " tokens; at least 1");
        return with(new Options(
                options.temperature, options.topK, options.topP, options.hasSeed, options.seed, options.stop, count));
    }

    private TextGenerator with(Options changed) {
        return new TextGenerator(model, changed);
    }

    /// Returns the temperature for drawing tokens: 1 if none was set.
    private double drawn() {
        return options.temperature == 0 ? 1 : options.temperature;
    }

    /// Returns the tokens that follow the prompt. The last one is the stop token, if it was generated. A text
    /// also ends at the length of the longest sequence for which the model was exported.
    ///
    /// @throws TrainingException if the prompt is empty or longer than the longest sequence, or the model is in
    ///     train mode
    public long[] generate(long... prompt) {
        if (prompt.length == 0) throw new TrainingException(model.file() + ": the prompt has no tokens");
        if (model.is_training() && model.hasModes()) {
            throw new TrainingException(model.file() + " is in train mode; call eval() before text is generated");
        }
        SplittableRandom random = options.hasSeed ? new SplittableRandom(options.seed) : new SplittableRandom();
        long longest = Math.min(model.maxSize("input_ids", 1), (long) prompt.length + options.maxTokens);
        if (prompt.length > longest) {
            throw new TrainingException(model.file() + ": the prompt has " + prompt.length + " tokens; the model was"
                    + " exported for at most " + longest);
        }
        long[] tokens = Arrays.copyOf(prompt, Math.toIntExact(longest));
        int count = prompt.length;
        while (count < longest) {
            float[] logits = logits(Arrays.copyOf(tokens, count));
            requireNumbers(logits);
            long next = options.temperature == 0 ? mostProbable(logits) : draw(logits, random);
            tokens[count++] = next;
            if (next == options.stop) break;
        }
        return Arrays.copyOfRange(tokens, prompt.length, count);
    }

    /// Returns the logits of the next token.
    private float[] logits(long[] tokens) {
        try (PointerScope scope = new PointerScope();
                NoGradGuard noGradients = new NoGradGuard()) {
            Outputs outputs = model.run(inputs(tokens));
            Tensor logits = outputs.names().size() == 1 ? outputs.get(0) : outputs.get("logits");
            if (logits.dim() != 3 || logits.size(0) != 1 || logits.size(1) != tokens.length) {
                throw new TrainingException(model.file() + ": logits is " + Tensors.shape(logits) + " for "
                        + tokens.length + " tokens; a language model returns 1 x tokens x vocabulary");
            }
            Tensor last = logits.select(0, 0).select(0, tokens.length - 1).to(ScalarType.Float);
            float[] numbers = new float[Math.toIntExact(last.numel())];
            last.cpu().contiguous().data_ptr_float().get(numbers);
            return numbers;
        }
    }

    private Map<String, Tensor> inputs(long[] tokens) {
        int count = tokens.length;
        Map<String, Tensor> inputs = new HashMap<>();
        for (String name : model.inputNames()) {
            long[] numbers = switch (name) {
                case "attention_mask" -> filled(count, 1);
                case "token_type_ids" -> filled(count, 0);
                case "position_ids" -> positions(count);
                default -> tokens; // labels have no influence on logits
            };
            inputs.put(name, model.onDevice(Tensor.create(numbers, 1, count)));
        }
        return inputs;
    }

    private static long[] filled(int count, long number) {
        long[] numbers = new long[count];
        Arrays.fill(numbers, number);
        return numbers;
    }

    private static long[] positions(int count) {
        long[] numbers = new long[count];
        Arrays.setAll(numbers, i -> i);
        return numbers;
    }

    private void requireNumbers(float[] logits) {
        for (float logit : logits) {
            if (Float.isNaN(logit)) throw new TrainingException(model.file() + ": the logits are not numbers (NaN)");
        }
    }

    private static int mostProbable(float[] logits) {
        int best = 0;
        for (int i = 1; i < logits.length; i++) if (logits[i] > logits[best]) best = i;
        return best;
    }

    private int draw(float[] logits, SplittableRandom random) {
        double[] probabilities = probabilities(logits, options.temperature, options.topK, options.topP);
        double left = random.nextDouble();
        int last = 0;
        for (int i = 0; i < probabilities.length; i++) {
            if (probabilities[i] == 0) continue;
            last = i;
            left -= probabilities[i];
            if (left < 0) break;
        }
        return last; // rounding errors can result in a remainder
    }

    /// Returns the probability of each token: 0 for tokens outside of top-k and top-p.
    static double[] probabilities(float[] logits, double temperature, int topK, double topP) {
        int[] order = descending(logits);
        int kept = Math.min(topK, order.length);
        while (kept < order.length && logits[order[kept]] == logits[order[kept - 1]]) kept++; // ties, as in Python
        double[] probabilities = new double[logits.length];
        double sum = 0;
        for (int i = 0; i < kept; i++) {
            double p = Math.exp((logits[order[i]] - (double) logits[order[0]]) / temperature);
            probabilities[order[i]] = p;
            sum += p;
        }
        double within = 0;
        for (int i = 0; i < kept; i++) {
            boolean isOut = i > 0 && within >= topP * sum;
            if (isOut) probabilities[order[i]] = 0;
            else within += probabilities[order[i]];
        }
        for (int i = 0; i < probabilities.length; i++) probabilities[i] /= within;
        return probabilities;
    }

    /// Returns the indices in the order of the logits, the largest logit first.
    private static int[] descending(float[] logits) {
        long[] keys = new long[logits.length];
        for (int i = 0; i < keys.length; i++) {
            int bits = Float.floatToIntBits(logits[i]);
            int ordered = bits ^ bits >> 31 & Integer.MAX_VALUE; // integers have the order of the floats
            keys[i] = ~(long) ordered << 32 | i;
        }
        Arrays.sort(keys);
        int[] order = new int[keys.length];
        for (int i = 0; i < order.length; i++) order[i] = (int) keys[i];
        return order;
    }
}
