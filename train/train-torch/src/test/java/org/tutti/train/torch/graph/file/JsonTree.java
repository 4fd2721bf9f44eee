package org.tutti.train.torch.graph.file;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamWriteConstraints;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// JSON as maps, lists, texts, numbers, booleans and null, which a test can change.
final class JsonTree {
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamWriteConstraints(
                    StreamWriteConstraints.builder().maxNestingDepth(1_000_000).build())
            .build();

    private JsonTree() {}

    static @Nullable Object parse(byte[] text) {
        try (JsonParser parser = JSON.createParser(text)) {
            parser.nextToken();
            return value(parser);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static @Nullable Object value(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> {
                Map<String, @Nullable Object> fields = new LinkedHashMap<>();
                while (parser.nextToken() == JsonToken.FIELD_NAME) {
                    String name = parser.currentName();
                    parser.nextToken();
                    fields.put(name, value(parser));
                }
                yield fields;
            }
            case START_ARRAY -> {
                List<@Nullable Object> values = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) values.add(value(parser));
                yield values;
            }
            case VALUE_STRING -> parser.getText();
            case VALUE_NUMBER_INT -> parser.getLongValue();
            case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            default -> null;
        };
    }

    static byte[] write(@Nullable Object tree) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = JSON.createGenerator(out)) {
            write(tree, json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private static void write(@Nullable Object tree, JsonGenerator json) throws IOException {
        switch (tree) {
            case Map<?, ?> fields -> {
                json.writeStartObject();
                for (Map.Entry<?, ?> field : fields.entrySet()) {
                    json.writeFieldName((String) field.getKey());
                    write(field.getValue(), json);
                }
                json.writeEndObject();
            }
            case List<?> values -> {
                json.writeStartArray();
                for (Object value : values) write(value, json);
                json.writeEndArray();
            }
            case null -> json.writeNull();
            case String text -> json.writeString(text);
            case Long number -> json.writeNumber(number);
            case Double number -> json.writeNumber(number);
            case Boolean truth -> json.writeBoolean(truth);
            default -> throw new IllegalArgumentException(tree.toString());
        }
    }
}
