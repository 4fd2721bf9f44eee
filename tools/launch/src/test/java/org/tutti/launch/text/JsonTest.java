package org.tutti.launch.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class JsonTest {
    @Test
    void followsRfc8259() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (Json json = new Json(bytes)) {
            json.open('{').name("a\"\\\n\u0001").value("é\uD83D\uDE00\uDC00");
            json.name("list").open('[').value(1).value(-2).line().open('{').close('}');
            json.line().open('{').name("x").value("").close('}').close(']');
            json.name("times").open('[');
            for (long nanos : new long[] {0, 7, 1_234_567, -5, -1_500}) json.micros(nanos);
            json.close(']').close('}');
        }
        assertThat(bytes.toString(StandardCharsets.UTF_8))
                .isEqualTo(
                        "{\"a\\\"\\\\\\u000a\\u0001\":\"é\\ud83d\\ude00\\udc00\",\"list\":[1,-2,\n{},\n{\"x\":\"\"}],"
                                + "\"times\":[0.000,0.007,1234.567,-0.005,-1.500]}");
    }

    @Test
    void indentsDownToADepth() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (Json json = new Json(bytes, 2)) {
            json.open('{').name("a").value("b").name("list").open('[');
            for (Number number : new Number[] {1, 0.5, Double.NaN, Double.NEGATIVE_INFINITY})
                json.open('{').name("x").value(number).name("y").value(2).close('}');
            json.close(']').name("none").open('[').close(']').close('}');
        }
        assertThat(bytes).hasToString("""
                        {
                          "a": "b",
                          "list": [
                            {"x": 1, "y": 2},
                            {"x": 0.5, "y": 2},
                            {"x": null, "y": 2},
                            {"x": null, "y": 2}
                          ],
                          "none": [
                          ]
                        }
                        """);
    }
}
