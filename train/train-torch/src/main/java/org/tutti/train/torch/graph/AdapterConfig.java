package org.tutti.train.torch.graph;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import org.tutti.train.checkpoint.CheckpointException;

/// The `adapter_config.json` of Python's `peft`.
///
/// @param alpha the numerator of the scale
/// @param isRankStabilized whether the scale is `alpha / sqrt(rank)` instead of `alpha / rank`
/// @param targets the last parts of the names of the layers that have adapters; empty if the configuration was
///     read from a file
/// @param wholeModules the last parts of the names of the modules that are trained as a whole, without an
///     adapter
/// @param base the name of the base model at Hugging Face, or a directory; empty if unknown
/// @param task such as `CAUSAL_LM`; empty if unknown
record AdapterConfig(
        long rank,
        double alpha,
        double dropout,
        boolean isRankStabilized,
        List<String> targets,
        List<String> wholeModules,
        String base,
        String task) {
    static final String FILE = "adapter_config.json";

    private static final String LORA = "LORA";

    /// Options of unsupported variants of LoRA. Each must be absent, false or empty.
    private static final List<String> UNSUPPORTED = List.of(
            "use_dora",
            "use_qalora",
            "use_bdlora",
            "lora_bias",
            "alora_invocation_tokens",
            "trainable_token_indices",
            "target_parameters",
            "layer_replication",
            "megatron_config",
            "arrow_config",
            "kasa_config",
            "velora_config",
            "monteclora_config");

    /// The values of `init_lora_weights` for initializations that do not change the base model.
    private static final List<Object> PLAIN_INITIALIZATIONS = List.of(true, false, "gaussian", "eva", "orthogonal");

    /// An adapter's configuration as it was read.
    ///
    /// @param ranks the adapter ranks of some layers, by a pattern of the layer's name
    /// @param alphas the numerators of the scales of some layers, by a pattern of the layer's name
    record ReadAdapter(AdapterConfig config, JsonObject json, Map<Pattern, Double> ranks, Map<Pattern, Double> alphas) {
        /// Returns the scale of a layer.
        double scale(String module) {
            double rank = of(module, ranks, config.rank), alpha = of(module, alphas, config.alpha);
            return alpha / (config.isRankStabilized ? Math.sqrt(rank) : rank);
        }

        long rank(String module) {
            return (long) of(module, ranks, config.rank);
        }

        private static double of(String module, Map<Pattern, Double> patterns, double otherwise) {
            for (Map.Entry<Pattern, Double> e : patterns.entrySet()) {
                if (e.getKey().matcher(module).matches()) return e.getValue();
            }
            return otherwise;
        }
    }

    double scale() {
        return alpha / (isRankStabilized ? Math.sqrt(rank) : rank);
    }

    /// Reads the configuration in the directory of an adapter.
    ///
    /// @throws CheckpointException if the file is missing or not valid, or the kind of adapter is not supported
    static ReadAdapter read(Path directory) throws IOException {
        Path file = directory.resolve(FILE);
        if (!Files.isRegularFile(file)) {
            throw new CheckpointException(
                    directory + " has no " + FILE + "; pass a directory that save_pretrained of peft has written");
        }
        JsonObject json = JsonObject.read(file);
        String kind = json.text("peft_type", "");
        if (!kind.equals(LORA)) {
            throw new CheckpointException(
                    directory + " is an adapter of peft_type " + kind + "; only " + LORA + " is supported");
        }
        for (String field : UNSUPPORTED) {
            if (!isOff(json.fields().get(field))) {
                throw new CheckpointException(directory + ": " + field + " is "
                        + json.fields().get(field) + "; this variant of LoRA is not supported");
            }
        }
        String bias = json.text("bias", "none");
        if (!bias.equals("none")) {
            throw new CheckpointException(directory + ": bias is " + bias + "; only none is supported");
        }
        Object initialization = json.fields().getOrDefault("init_lora_weights", true);
        if (!PLAIN_INITIALIZATIONS.contains(initialization)) {
            throw new CheckpointException(directory + ": init_lora_weights is " + initialization
                    + ", which changes the base model; convert the adapter in Python with"
                    + " save_pretrained(…, path_initial_model_for_weight_conversion=…)");
        }
        double rank = json.number("r", 8), dropout = json.number("lora_dropout", 0);
        if (!(rank >= 1 && dropout >= 0 && dropout < 1)) {
            throw new CheckpointException(directory + ": r is " + rank + " and lora_dropout " + dropout
                    + "; r must be at least 1, and lora_dropout from 0 to less than 1");
        }
        AdapterConfig config = new AdapterConfig(
                (long) rank,
                json.number("lora_alpha", 8),
                dropout,
                json.bool("use_rslora", false),
                List.of(),
                json.texts("modules_to_save"),
                json.text("base_model_name_or_path", ""),
                json.text("task_type", ""));
        return new ReadAdapter(config, json, patterns(json, "rank_pattern"), patterns(json, "alpha_pattern"));
    }

    private static boolean isOff(@Nullable Object value) {
        return switch (value) {
            case null -> true;
            case Boolean b -> !b;
            case Collection<?> c -> c.isEmpty();
            case Map<?, ?> m -> m.isEmpty();
            default -> false;
        };
    }

    /// Returns the numbers in a field whose keys are patterns for the names of layers. As in Python, a pattern
    /// must match one or more complete parts at the end of a layer's name.
    private static Map<Pattern, Double> patterns(JsonObject json, String field) throws CheckpointException {
        Map<Pattern, Double> patterns = new LinkedHashMap<>();
        for (Map.Entry<?, ?> e : json.object(field).entrySet()) {
            if (!(e.getValue() instanceof Number n)) {
                throw new CheckpointException(json.file() + ": " + field + " has " + e.getValue() + " for " + e.getKey()
                        + "; it must be a number");
            }
            try {
                patterns.put(Pattern.compile("(.*\\.)?(" + e.getKey() + ")"), n.doubleValue());
            } catch (PatternSyntaxException x) {
                throw new CheckpointException(
                        json.file() + ": " + field + " has " + e.getKey() + ", which is not a regular expression");
            }
        }
        return patterns;
    }

    /// Returns the file's contents.
    ///
    /// @param isTransposed whether weights have the shape inputs x outputs
    byte[] text(boolean isTransposed) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = new JsonFactory().createGenerator(out).useDefaultPrettyPrinter()) {
            json.writeStartObject();
            writeText(json, "base_model_name_or_path", base);
            json.writeStringField("bias", "none");
            json.writeBooleanField("fan_in_fan_out", isTransposed);
            json.writeBooleanField("inference_mode", true);
            json.writeBooleanField("init_lora_weights", true);
            if (alpha == Math.rint(alpha)) json.writeNumberField("lora_alpha", (long) alpha);
            else json.writeNumberField("lora_alpha", alpha);
            json.writeNumberField("lora_dropout", dropout);
            if (wholeModules.isEmpty()) json.writeNullField("modules_to_save");
            else writeTexts(json, "modules_to_save", wholeModules);
            json.writeStringField("peft_type", LORA);
            json.writeNumberField("r", rank);
            writeTexts(json, "target_modules", targets);
            writeText(json, "task_type", task);
            json.writeBooleanField("use_dora", false);
            json.writeBooleanField("use_rslora", isRankStabilized);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // cannot happen in memory
        }
        return out.toByteArray();
    }

    private static void writeText(JsonGenerator json, String field, String text) throws IOException {
        if (text.isEmpty()) json.writeNullField(field);
        else json.writeStringField(field, text);
    }

    private static void writeTexts(JsonGenerator json, String field, List<String> texts) throws IOException {
        json.writeArrayFieldStart(field);
        for (String t : texts) json.writeString(t);
        json.writeEndArray();
    }
}
