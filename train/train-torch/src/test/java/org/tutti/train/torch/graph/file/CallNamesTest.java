package org.tutti.train.torch.graph.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tutti.train.checkpoint.CheckpointException;

/// Derives the names of arguments and results that are nested structures.
final class CallNamesTest {
    private static final String LEAF = "{\"type\": null, \"context\": null, \"children_spec\": []}";

    private static String spec(String type, String context, String... children) {
        return "{\"type\": \"" + type + "\", \"context\": \"" + context.replace("\"", "\\\"")
                + "\", \"children_spec\": [" + String.join(", ", children) + "]}";
    }

    private static CallNames names(Map<String, List<String>> tupleFields) {
        return new CallNames("f", tupleFields);
    }

    @Test
    void argumentsHaveTheNamesOfParameters() throws IOException {
        String pair = spec("collections.namedtuple", "my.Pair", LEAF, LEAF);
        String options =
                spec("builtins.dict", "[\"mask\", \"sizes\"]", LEAF, spec("builtins.list", "null", LEAF, LEAF));
        String call = "[1, "
                + spec(
                        "builtins.tuple",
                        "null",
                        spec("builtins.tuple", "null", LEAF, pair, LEAF),
                        spec("builtins.dict", "[\"options\"]", options))
                + "]";

        assertThat(names(Map.of("my.Pair", List.of("left", "right"))).arguments(call, List.of("x", "pair")))
                .containsExactly(
                        "x", "pair.left", "pair.right", "2", "options.mask", "options.sizes.0", "options.sizes.1");
    }

    @Test
    void resultsHaveKeysOrNumbers() throws IOException {
        assertThat(names(Map.of()).results("[1, " + LEAF + "]")).containsExactly("0");
        assertThat(names(Map.of()).results("[1, " + spec("builtins.tuple", "null", LEAF, LEAF) + "]"))
                .containsExactly("0", "1");
        assertThat(names(Map.of()).results("[1, " + spec("m.Output", "[\"loss\", \"logits\"]", LEAF, LEAF) + "]"))
                .containsExactly("loss", "logits");
        assertThat(names(Map.of())
                        .results("[1, " + spec("collections.defaultdict", "{\"dict_context\": [\"a\", 3]}", LEAF, LEAF)
                                + "]"))
                .containsExactly("a", "3");
    }

    @Test
    void anotherVersionIsRefused() {
        assertThatThrownBy(() -> names(Map.of()).results("[2, " + LEAF + "]"))
                .isInstanceOf(CheckpointException.class)
                .hasMessage("f: /0 has an unknown version of the structure");
    }

    @Test
    void tooLongNamesAreRefused() {
        String leaves = String.join(", ", Collections.nCopies(2_000, LEAF));
        String spec = spec("builtins.list", "null", leaves);
        for (int i = 0; i < 2; i++) spec = spec("builtins.dict", "[\"" + "k".repeat(2_000) + "\"]", spec);
        String result = "[1, " + spec + "]";

        assertThatThrownBy(() -> names(Map.of()).results(result))
                .isInstanceOf(CheckpointException.class)
                .hasMessage("f has names of more than 4194304 characters");
    }
}
