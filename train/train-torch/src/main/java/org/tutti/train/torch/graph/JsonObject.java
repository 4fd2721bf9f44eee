package org.tutti.train.torch.graph;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import java.io.CharConversionException;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.train.checkpoint.CheckpointException;

/// A small JSON file of Hugging Face's libraries, such as `config.json`. Python's `NaN` and `Infinity` are read.
///
/// @param file the file, for errors
/// @param text the bytes of the file
/// @param fields strings, `Long`, `Double`, `Boolean`, lists and maps; fields that are null are omitted
record JsonObject(Path file, byte[] text, Map<String, Object> fields) {
    private static final long LONGEST = 16 << 20;
    private static final int DEEPEST = 32;

    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build())
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .build();

    /// @throws CheckpointException if the file is not a JSON object
    static JsonObject read(Path file) throws IOException {
        long bytes = Files.size(file);
        if (bytes > LONGEST) throw new CheckpointException(file + " has " + bytes + " bytes; at most " + LONGEST);
        byte[] text = Files.readAllBytes(file);
        try (JsonParser json = JSON.createParser(text)) {
            if (json.nextToken() != JsonToken.START_OBJECT)
                throw new CheckpointException(file + " is not a JSON object");
            Map<String, Object> fields = object(json);
            if (json.nextToken() != null) throw new CheckpointException(file + " has text after the JSON object");
            return new JsonObject(file, text, fields);
        } catch (JsonProcessingException e) {
            throw new CheckpointException(file + " is not JSON: " + e.getOriginalMessage());
        } catch (CharConversionException e) {
            throw new CheckpointException(file + " is not JSON: it is not UTF-8");
        }
    }

    private static Map<String, Object> object(JsonParser json) throws IOException {
        Map<String, Object> fields = new LinkedHashMap<>();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            json.nextToken();
            Object value = value(json);
            if (value != null) fields.put(name, value);
        }
        return Collections.unmodifiableMap(fields);
    }

    private static @Nullable Object value(JsonParser json) throws IOException {
        return switch (json.currentToken()) {
            case START_OBJECT -> object(json);
            case START_ARRAY -> {
                List<Object> all = new ArrayList<>();
                while (json.nextToken() != JsonToken.END_ARRAY) {
                    Object value = value(json);
                    if (value != null) all.add(value);
                }
                yield List.copyOf(all);
            }
            case VALUE_STRING -> json.getText();
            case VALUE_NUMBER_INT ->
                json.getNumberValue() instanceof BigInteger big ? (Object) big.doubleValue() : json.getLongValue();
            case VALUE_NUMBER_FLOAT -> json.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            default -> null;
        };
    }

    /// Returns a string; `otherwise` if the field is absent.
    String text(String field, String otherwise) throws CheckpointException {
        Object value = fields.getOrDefault(field, otherwise);
        return value instanceof String s ? s : refuse(field, "a string");
    }

    boolean bool(String field, boolean otherwise) throws CheckpointException {
        Object value = fields.getOrDefault(field, otherwise);
        return value instanceof Boolean b ? b : refuse(field, "true or false");
    }

    double number(String field, double otherwise) throws CheckpointException {
        Object value = fields.getOrDefault(field, otherwise);
        return value instanceof Number n ? n.doubleValue() : refuse(field, "a number");
    }

    /// Returns a list of strings, empty if the field is absent.
    List<String> texts(String field) throws CheckpointException {
        Object value = fields.getOrDefault(field, List.of());
        if (!(value instanceof List<?> all)) return refuse(field, "a list of strings");
        List<String> texts = new ArrayList<>();
        for (Object o : all) texts.add(o instanceof String s ? s : refuse(field, "a list of strings"));
        return List.copyOf(texts);
    }

    /// Returns an object's fields, empty if the field is absent.
    Map<?, ?> object(String field) throws CheckpointException {
        Object value = fields.getOrDefault(field, Map.of());
        return value instanceof Map<?, ?> m ? m : refuse(field, "an object");
    }

    private <T> T refuse(String field, String expected) throws CheckpointException {
        throw new CheckpointException(file + ": " + field + " is " + fields.get(field) + "; it must be " + expected);
    }
}
