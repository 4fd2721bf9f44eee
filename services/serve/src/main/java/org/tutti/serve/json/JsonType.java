package org.tutti.serve.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A type in JSON: reads values, and describes the schema.
public sealed interface JsonType {
    /// Reads a value. Before the call, the parser is at the first token of the value; on return, at the last
    /// token.
    ///
    /// @throws JsonException if the JSON is not a value of this type
    @Nullable
    Object read(JsonParser in) throws IOException;

    /// Returns the JSON Schema, draft 2020-12. Records are references into `records`, to which the schemas are
    /// added.
    Map<String, Object> schema(Map<String, Map<String, Object>> records);

    /// Returns the value of an absent component; null if the component is required.
    default @Nullable Object absent() {
        return null;
    }

    /// Numbers, strings and similar types.
    record Scalar(String name, Map<String, Object> itsSchema, Reader reader) implements JsonType {
        /// Reads one token.
        @FunctionalInterface
        public interface Reader {
            @Nullable
            Object read(JsonParser in) throws IOException;
        }

        @Override
        public @Nullable Object read(JsonParser in) throws IOException {
            return reader.read(in);
        }

        @Override
        public Map<String, Object> schema(Map<String, Map<String, Object>> records) {
            return itsSchema;
        }
    }

    /// Arrays and collections.
    ///
    /// @param component the component type of an array; null for a collection
    record Sequence(
            JsonType element, @Nullable Class<?> component, Function<List<Object>, Object> maker, boolean unique)
            implements JsonType {
        @Override
        public Object read(JsonParser in) throws IOException {
            JsonTypes.require(in, JsonToken.START_ARRAY, "an array");
            List<Object> all = new ArrayList<>();
            while (in.nextToken() != JsonToken.END_ARRAY) {
                Object value = element.read(in);
                if (value != null) all.add(value);
            }
            if (component == null) return maker.apply(all);
            Object array = Array.newInstance(component, all.size());
            for (int i = 0; i < all.size(); i++) Array.set(array, i, all.get(i));
            return array;
        }

        @Override
        public Map<String, Object> schema(Map<String, Map<String, Object>> records) {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("type", "array");
            all.put("items", element.schema(records));
            if (unique) all.put("uniqueItems", true);
            return all;
        }
    }

    /// A map with strings as keys.
    record Mapping(JsonType value) implements JsonType {
        @Override
        public Object read(JsonParser in) throws IOException {
            JsonTypes.require(in, JsonToken.START_OBJECT, "an object");
            Map<String, Object> all = new LinkedHashMap<>();
            while (in.nextToken() == JsonToken.FIELD_NAME) {
                String key = in.currentName();
                in.nextToken();
                Object read = value.read(in);
                if (read != null) all.put(key, read);
            }
            return all;
        }

        @Override
        public Map<String, Object> schema(Map<String, Map<String, Object>> records) {
            return Map.of("type", "object", "additionalProperties", value.schema(records));
        }
    }

    /// A value that may be absent or null.
    record Maybe(JsonType value) implements JsonType {
        @Override
        public Object read(JsonParser in) throws IOException {
            if (in.currentToken() == JsonToken.VALUE_NULL) return Optional.empty();
            return Optional.ofNullable(value.read(in));
        }

        @Override
        public Map<String, Object> schema(Map<String, Map<String, Object>> records) {
            return Map.of("anyOf", List.of(value.schema(records), Map.of("type", "null")));
        }

        @Override
        public Object absent() {
            return Optional.empty();
        }
    }

    /// A record of the program. Components are added after construction, because a component may refer to the
    /// record.
    final class OfRecord implements JsonType {
        private final Class<?> type;
        private final Constructor<?> constructor;
        private final Map<String, JsonType> components = new LinkedHashMap<>();

        OfRecord(Class<?> type, Constructor<?> constructor) {
            this.type = type;
            this.constructor = constructor;
        }

        void component(String name, JsonType itsType) {
            components.put(name, itsType);
        }

        @Override
        public Object read(JsonParser in) throws IOException {
            JsonTypes.require(in, JsonToken.START_OBJECT, "an object");
            Map<String, Object> seen = new LinkedHashMap<>();
            while (in.nextToken() == JsonToken.FIELD_NAME) {
                String name = in.currentName();
                JsonType component = components.get(name);
                if (component == null) {
                    throw JsonTypes.mistake(
                            in,
                            "no component " + JsonTypes.shortened(name) + " in " + type.getSimpleName() + ", which has "
                                    + String.join(", ", components.keySet()));
                }
                in.nextToken();
                Object value = component.read(in);
                if (value != null) seen.put(name, value);
            }
            Object[] values = new Object[components.size()];
            int i = 0;
            for (var each : components.entrySet()) {
                Object value = seen.getOrDefault(each.getKey(), each.getValue().absent());
                if (value == null) {
                    throw JsonTypes.mistake(in, type.getSimpleName() + " needs " + each.getKey());
                }
                values[i++] = value;
            }
            return make(in, values);
        }

        private Object make(JsonParser in, Object[] values) {
            try {
                return constructor.newInstance(values);
            } catch (InvocationTargetException e) {
                if (e.getCause() instanceof Error error && !(error instanceof AssertionError)) throw error;
                throw JsonTypes.mistake(
                        in, type.getSimpleName() + " refuses it: " + JsonTypes.shortened(String.valueOf(e.getCause())));
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(type + " cannot be created", e);
            }
        }

        @Override
        public Map<String, Object> schema(Map<String, Map<String, Object>> records) {
            String name = type.getSimpleName();
            Map<String, Object> reference = Map.of("$ref", "#/components/schemas/" + name);
            if (records.containsKey(name)) return reference;
            Map<String, Object> all = new LinkedHashMap<>();
            records.put(name, all); // first, because a component may have this type
            Map<String, Object> properties = new LinkedHashMap<>();
            Collection<String> required = new ArrayList<>();
            components.forEach((component, itsType) -> {
                properties.put(component, itsType.schema(records));
                if (itsType.absent() == null) required.add(component);
            });
            all.put("type", "object");
            all.put("properties", properties);
            if (!required.isEmpty()) all.put("required", required);
            all.put("additionalProperties", false);
            return reference;
        }
    }
}
