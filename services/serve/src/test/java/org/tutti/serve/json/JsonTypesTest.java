package org.tutti.serve.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class JsonTypesTest {
    enum Color {
        RED,
        GREEN
    }

    record Leaf(int n, Color color) {}

    record Tree(String name, List<Tree> children, Optional<Leaf> leaf) {}

    record All(
            byte b,
            short s,
            int i,
            long l,
            float f,
            double d,
            boolean yes,
            char c,
            String text,
            byte[] bytes,
            double[] doubles,
            int[][] rows,
            BigInteger big,
            BigDecimal decimal,
            UUID uuid,
            Instant instant,
            Duration duration,
            Set<Color> colors,
            Map<String, Leaf> leaves,
            List<List<Long>> lists,
            Leaf[] array) {}

    private static Object read(Class<?> type, String json) {
        return JsonTypes.read(json.getBytes(UTF_8), new JsonTypes().of(type));
    }

    @Test
    void theLargestFloatIsReadAsItIsWritten() {
        for (float f : new float[] {Float.MAX_VALUE, -Float.MAX_VALUE, Float.MIN_VALUE, 1.17549435E-38f}) {
            assertThat(read(float.class, write(f))).isEqualTo(f);
        }
        assertThatThrownBy(() -> read(float.class, "3.5e38")).hasMessage("3.5e38 is too large for a float");
        assertThatThrownBy(() -> read(double.class, "1e309")).hasMessage("1e309 is too large for a double");
    }

    private static String write(Object value) {
        return new String(JsonValues.bytes(value), UTF_8);
    }

    private static final String ALL = "{\"b\":-128,\"s\":3,\"i\":2147483647,\"l\":-9223372036854775808,\"f\":1.5,"
            + "\"d\":\"NaN\",\"yes\":true,\"c\":\"x\",\"text\":\"ä\\n\",\"bytes\":\"AQID\",\"doubles\":[1.0,\"Infinity\"],"
            + "\"rows\":[[1],[]],\"big\":123456789012345678901234567890,\"decimal\":1.50,"
            + "\"uuid\":\"00000000-0000-0001-0000-000000000002\",\"instant\":\"2026-01-31T12:00:00Z\","
            + "\"duration\":\"PT1.5S\",\"colors\":[\"RED\"],\"leaves\":{\"a\":{\"n\":1,\"color\":\"GREEN\"}},"
            + "\"lists\":[[1,2],[]],\"array\":[{\"n\":2,\"color\":\"RED\"}]}";

    @Test
    void valuesAreWrittenAsRead() {
        assertThat(write(read(All.class, ALL))).isEqualTo(ALL);
        String tree =
                "{\"name\":\"a\",\"children\":[{\"name\":\"b\",\"children\":[],\"leaf\":{\"n\":1,\"color\":\"RED\"}}],"
                        + "\"leaf\":null}";
        assertThat(write(read(Tree.class, tree))).isEqualTo(tree);
        assertThat(write(read(Tree.class, "{\"children\":[],\"name\":\"x\"}")))
                .isEqualTo("{\"name\":\"x\",\"children\":[],\"leaf\":null}");
        assertThat(read(Void.class, "null")).isNull();
        assertThat(read(int.class, " 7\n")).isEqualTo(7);
    }

    @Test
    void theSchemaDescribesTheAcceptedValues() {
        Map<String, Map<String, Object>> records = new HashMap<>();
        assertThat(new JsonTypes().of(Tree.class).schema(records))
                .isEqualTo(Map.of("$ref", "#/components/schemas/Tree"));
        assertThat(write(records.get("Tree")))
                .contains("\"required\":[\"name\",\"children\"]")
                .contains("\"children\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/components/schemas/Tree\"}}")
                .contains("\"additionalProperties\":false");
        assertThat(write(records.get("Leaf"))).contains("\"enum\":[\"RED\",\"GREEN\"]");
    }

    @Test
    void undeclaredComponentsAreRefused() {
        record Case(Class<?> type, String json, String why) {}
        String deep = "[".repeat(60) + "]".repeat(60);
        for (Case c : List.of(
                new Case(int.class, "", "the body is empty"),
                new Case(int.class, "1 2", "unexpected text after the argument"),
                new Case(int.class, "1.0", "1.0 is not an integer"),
                new Case(int.class, "1e3", "1e3 is not an integer"),
                new Case(int.class, "2147483648", "2147483648 is not within -2147483648 to 2147483647"),
                new Case(long.class, "9".repeat(30), "is not within"),
                new Case(long.class, "9".repeat(101), "too large or too deep"),
                new Case(double.class, "1e999", "1e999 is too large for a double"),
                new Case(float.class, "1e40", "1e40 is too large for a float"),
                new Case(double.class, "NaN", "the body is not JSON"),
                new Case(double.class, "\"x\"", "\"x\" is not a number"),
                new Case(double.class, "0." + "1".repeat(200), "too large or too deep"),
                new Case(BigDecimal.class, "1e99999", "has too large an exponent"),
                new Case(String.class, "1", "1 is not a text"),
                new Case(String.class, "'a'", "the body is not JSON"),
                new Case(boolean.class, "1", "1 is not true or false"),
                new Case(Color.class, "\"BLUE\"", "\"BLUE\" is not one of RED, GREEN"),
                new Case(byte[].class, "\"*\"", "\"*\" is not base64"),
                new Case(byte[].class, "\"AAE\"", "\"AAE\" is not base64"),
                new Case(Leaf.class, "null", "null is not an object"),
                new Case(Leaf.class, "{\"n\":1}", "Leaf needs color"),
                new Case(Leaf.class, "{\"n\":null,\"color\":\"RED\"}", "/n: null is not an integer"),
                new Case(Leaf.class, "{\"n\":1,\"n\":2,\"color\":\"RED\"}", "Duplicate"),
                new Case(Leaf.class, "{\"@class\":\"x\"}", "no component @class in Leaf, which has n, color"),
                new Case(
                        Tree.class,
                        "{\"name\":\"a\",\"children\":[{\"name\":1}]}",
                        "/children/0/name: 1 is not a text"),
                new Case(int[].class, deep, "[ is not an integer"),
                new Case(int[].class, "[1,]", "the body is not JSON"),
                new Case(int[].class, "[1", "the body is not JSON: the value is incomplete"),
                new Case(int.class, "/* */ 1", "the body is not JSON"),
                new Case(UUID.class, "\"x\"", "is not a UUID"),
                new Case(char.class, "\"xy\"", "is not one character"))) {
            String why = c.why.replace("[ is", "an array is");
            assertThatThrownBy(() -> read(c.type, c.json))
                    .as(c.json)
                    .isInstanceOf(JsonException.class)
                    .hasMessageContaining(why);
        }
        assertThatThrownBy(() -> read(Nested.class, nested(60))).hasMessageContaining("too large or too deep");
        assertThat(read(Nested.class, nested(20))).isNotNull();
    }

    record Nested(List<Nested> in) {}

    private static String nested(int depth) {
        return "{\"in\":[".repeat(depth) + "]}".repeat(depth);
    }

    @Test
    void aRecordMayRefuse() {
        record Even(int n) {
            Even {
                if (n % 2 != 0) throw new IllegalArgumentException(n + " is odd");
            }
        }
        assertThat(read(Even.class, "{\"n\":2}")).isEqualTo(new Even(2));
        assertThatThrownBy(() -> read(Even.class, "{\"n\":3}"))
                .hasMessage("Even refuses it: java.lang.IllegalArgumentException: 3 is odd");
    }

    /// A million bodies with `-Pfull`. Mutations of a valid body: each is refused, or read as a value that has
    /// the declared type and can be written and read again.
    @Test
    void randomBodiesAreReadOrRefused() {
        int count = Boolean.getBoolean("tutti.full") ? 1_000_000 : 10_000;
        long seed = Long.getLong("tutti.serve.seed", 20_261);
        String repeat = "-Dtutti.serve.seed=" + seed;
        SplittableRandom random = new SplittableRandom(seed);
        JsonType type = new JsonTypes().of(All.class);
        byte[] right = ALL.getBytes(UTF_8);
        String tokens = "{}[]\",:0123456789eE+-.truefalsn\\u \n";
        int read = 0;
        for (int i = 0; i < count; i++) {
            byte[] body = right.clone();
            int changes = random.nextInt(4);
            for (int c = 0; c < changes; c++) {
                int at = random.nextInt(body.length);
                body[at] = random.nextBoolean()
                        ? (byte) random.nextInt(256)
                        : (byte) tokens.charAt(random.nextInt(tokens.length()));
            }
            if (random.nextInt(8) == 0) body = java.util.Arrays.copyOf(body, random.nextInt(body.length));
            try {
                Object value = JsonTypes.read(body, type);
                assertThat(value).as(repeat).isInstanceOf(All.class);
                assertThat(JsonTypes.read(JsonValues.bytes(value), type))
                        .as(repeat)
                        .isInstanceOf(All.class);
                read++;
            } catch (JsonException e) {
                assertThat(e.getMessage()).as(repeat).isNotEmpty();
            } catch (RuntimeException | Error e) {
                throw new AssertionError(repeat + ", body " + i + ": " + new String(body, UTF_8), e);
            }
        }
        assertThat(read).isBetween(count / 10, count);
    }
}
