package org.tutti.serve.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.tutti.serve.job.ServedFunction;
import org.tutti.serve.json.JsonTypes;
import org.tutti.serve.json.JsonValues;

/// The requirements of the OpenAPI specification, 3.1.0, for the objects of the document. The build has no
/// validator.
class OpenApiDocumentTest {
    record Point(double x, double y) {}

    record Shape(List<Point> corners, List<Shape> parts) {}

    private static final JsonTypes TYPES = new JsonTypes();

    private static final Map<String, Object> DOCUMENT = OpenApiDocument.of(List.of(
            new ServedFunction("area", "Its area.", _ -> new byte[0], TYPES.of(Shape.class), TYPES.of(double.class)),
            new ServedFunction("add", "", _ -> new byte[0], TYPES.of(int[].class), TYPES.of(Point.class))));

    @SuppressWarnings("unchecked")
    private static Map<String, Object> at(Object in, String... names) {
        Object found = in;
        for (String name : names) {
            assertThat((Map<String, Object>) found).containsKey(name);
            found = ((Map<String, Object>) found).get(name);
        }
        return (Map<String, Object>) found;
    }

    @Test
    void hasTheObjectsRequiredByTheSpecification() {
        assertThat(DOCUMENT.get("openapi")).isEqualTo("3.1.0");
        assertThat(at(DOCUMENT, "info")).containsKeys("title", "version");
        assertThat(at(DOCUMENT, "components", "securitySchemes", "token")).containsEntry("type", "http");
        assertThat(at(DOCUMENT, "components", "schemas").keySet())
                .allMatch(name -> name.matches("[a-zA-Z0-9._-]+"))
                .contains("Point", "Shape");
        Set<Object> ids = new HashSet<>();
        at(DOCUMENT, "paths").forEach((path, item) -> {
            assertThat(path).startsWith("/");
            at(item).forEach((method, operation) -> {
                assertThat(method).isIn("get", "post", "delete");
                assertThat(ids.add(at(operation).get("operationId"))).as(path).isTrue();
                assertOperation(path, at(operation));
            });
        });
        assertReferences(DOCUMENT);
    }

    private static void assertOperation(String path, Map<String, Object> operation) {
        Set<String> inPath = new HashSet<>();
        for (Object each : (List<?>) operation.getOrDefault("parameters", List.of())) {
            Map<String, Object> parameter = at(each);
            assertThat(parameter).as(path).containsKeys("name", "in", "schema");
            assertThat(parameter.get("in")).isIn("query", "header", "path");
            if (parameter.get("in").equals("path")) {
                assertThat(parameter).containsEntry("required", true);
                inPath.add("{" + parameter.get("name") + "}");
            }
        }
        for (String segment : path.split("/")) {
            if (segment.startsWith("{"))
                assertThat(inPath.remove(segment)).as(path).isTrue();
        }
        assertThat(inPath).as(path).isEmpty();
        Map<String, Object> responses = at(operation, "responses");
        assertThat(responses).as(path).isNotEmpty();
        responses.forEach((status, response) -> {
            assertThat(status).matches("[1-5]\\d\\d|default");
            assertThat(at(response)).as(path).containsKey("description");
            at(response, "content").forEach((type, media) -> {
                assertThat(type).matches("[a-z]+/[a-z+-]+");
                assertThat(at(media)).containsKey("schema");
            });
        });
        if (operation.containsKey("requestBody")) {
            assertThat(at(operation, "requestBody", "content", "application/json"))
                    .containsKey("schema");
        }
    }

    private static void assertReferences(Object in) {
        switch (in) {
            case Map<?, ?> map -> {
                if (map.get("$ref") instanceof String reference) {
                    at(DOCUMENT, reference.substring(2).split("/"));
                }
                map.values().forEach(OpenApiDocumentTest::assertReferences);
            }
            case List<?> list -> list.forEach(OpenApiDocumentTest::assertReferences);
            default -> {}
        }
    }

    @Test
    void everyRouteThatTakesATokenIsInIt() {
        String text = new String(JsonValues.bytes(DOCUMENT), UTF_8);
        assertThat(text)
                .contains("\"/v1/functions/area/jobs\"")
                .contains("\"/v1/jobs/{id}/events\"")
                .contains("\"$ref\":\"#/components/schemas/Shape\"");
        assertThat(at(DOCUMENT, "paths")).hasSize(8);
    }
}
