package org.tutti.serve.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Maps Java types to JSON types, and reads complete bodies.
///
/// One instance serves all functions of a service, so that each record name denotes only one record in the
/// OpenAPI document.
public final class JsonTypes {
    /// Maximum size of a body, in bytes.
    public static final int BODY_BYTES = 1 << 20;

    private static final int DEPTH = 50, DIGITS = 100, NAME_CHARS = 1000, SHOWN_CHARS = 60, SCALE = 1000;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(DEPTH)
                    .maxNumberLength(DIGITS)
                    .maxNameLength(NAME_CHARS)
                    .maxStringLength(BODY_BYTES)
                    .maxDocumentLength(BODY_BYTES)
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build();

    private final Map<Class<?>, JsonType.OfRecord> records = new HashMap<>();
    private final Map<String, Class<?>> names = new HashMap<>();

    /// Reads a body that consists of a single value of `type`.
    ///
    /// @throws JsonException if the body is anything else
    public static @Nullable Object read(byte[] body, JsonType type) {
        try (JsonParser in = FACTORY.createParser(text(body))) {
            if (in.nextToken() == null) throw new JsonException("the body is empty; it must be the argument as JSON");
            Object value = type.read(in);
            if (in.nextToken() != null) throw new JsonException("unexpected text after the argument");
            return value;
        } catch (StreamConstraintsException e) {
            throw new JsonException("the body is too large or too deep: " + shortened(e.getOriginalMessage()));
        } catch (JsonProcessingException e) {
            String where = e.getLocation() == null
                    ? ""
                    : " (line " + e.getLocation().getLineNr() + ", column "
                            + e.getLocation().getColumnNr() + ")";
            // the parser's message names internal classes
            String expected = e instanceof JsonEOFException ? "the value is incomplete" : e.getOriginalMessage();
            throw new JsonException("the body is not JSON: " + shortened(expected) + where);
        } catch (IOException e) {
            throw new JsonException("the body is not JSON: " + shortened(String.valueOf(e.getMessage())));
        }
    }

    /// Decodes a body. The parser would guess UTF-16 and UTF-32, and replace malformed input; all other code
    /// here treats a body as UTF-8 (RFC 8259, 8.1).
    private static String text(byte[] body) {
        if (body.length > BODY_BYTES) throw new JsonException("the body is larger than " + BODY_BYTES + " bytes");
        try {
            String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
            return text.startsWith("\uFEFF") ? text.substring(1) : text;
        } catch (CharacterCodingException e) {
            throw new JsonException("the body is not UTF-8");
        }
    }

    static void require(JsonParser in, JsonToken token, String expected) throws IOException {
        if (in.currentToken() != token) throw mistake(in, shown(in) + " is not " + expected);
    }

    static JsonException mistake(JsonParser in, String text) {
        String at = in.getParsingContext().pathAsPointer().toString();
        return new JsonException(at.isEmpty() ? text : shortened(at) + ": " + text);
    }

    static String shortened(String text) {
        return text.length() <= SHOWN_CHARS ? text : text.substring(0, SHOWN_CHARS) + "…";
    }

    private static String shown(JsonParser in) throws IOException {
        return switch (in.currentToken()) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "an array";
            case VALUE_STRING -> '"' + shortened(in.getText()) + '"';
            case null -> "the end";
            default -> shortened(in.getText());
        };
    }

    // ---- from Java types

    /// Returns the JSON type of `type`.
    ///
    /// @throws IllegalArgumentException if values of `type` cannot be read from JSON, with the reason
    public JsonType of(Type type) {
        return switch (type) {
            case Class<?> c -> ofClass(c);
            case ParameterizedType p -> ofGeneric(p);
            case WildcardType w -> of(w.getUpperBounds()[0]);
            case GenericArrayType a -> throw no(a, "use a List");
            default -> throw no(type, "use a class without type variables");
        };
    }

    private static IllegalArgumentException no(Type type, String remedy) {
        return new IllegalArgumentException(type.getTypeName() + " has no JSON form; " + remedy);
    }

    private JsonType ofGeneric(ParameterizedType type) {
        Type[] parameters = type.getActualTypeArguments();
        Class<?> raw = (Class<?>) type.getRawType();
        if (raw == List.class || raw == Collection.class) {
            return new JsonType.Sequence(of(parameters[0]), null, ArrayList::new, false);
        }
        if (raw == Set.class) return new JsonType.Sequence(of(parameters[0]), null, LinkedHashSet::new, true);
        if (raw == Optional.class) return new JsonType.Maybe(of(parameters[0]));
        if (raw == Map.class && parameters[0] == String.class) return new JsonType.Mapping(of(parameters[1]));
        throw no(type, "List, Set, Map with String keys and Optional have");
    }

    private JsonType ofClass(Class<?> type) {
        JsonType scalar = SCALARS.get(type);
        if (scalar != null) return scalar;
        if (type.isArray()) {
            Class<?> component = type.getComponentType();
            return new JsonType.Sequence(of(component), component, all -> all, false);
        }
        if (type.isEnum()) return ofEnum(type);
        if (type.isRecord()) return ofRecord(type);
        throw no(type, "numbers, texts, arrays, enums, records, List, Set, Map and Optional have");
    }

    private static JsonType ofEnum(Class<?> type) {
        Map<String, Object> byName = new LinkedHashMap<>();
        for (Object constant : type.getEnumConstants()) byName.put(((Enum<?>) constant).name(), constant);
        List<String> all = List.copyOf(byName.keySet());
        return new JsonType.Scalar(
                type.getSimpleName(), Map.of("type", "string", "enum", List.copyOf(byName.keySet())), in -> {
                    require(in, JsonToken.VALUE_STRING, "one of " + String.join(", ", all));
                    Object constant = byName.get(in.getText());
                    if (constant == null) throw mistake(in, shown(in) + " is not one of " + String.join(", ", all));
                    return constant;
                });
    }

    private JsonType ofRecord(Class<?> type) {
        JsonType.OfRecord known = records.get(type);
        if (known != null) return known;
        if (type.getTypeParameters().length > 0) throw no(type, "a record without type parameters has");
        Class<?> other = names.putIfAbsent(type.getSimpleName(), type);
        if (other != null) {
            throw new IllegalArgumentException(type.getName() + " and " + other.getName()
                    + " have the same name; the service's document needs two");
        }
        RecordComponent[] components = type.getRecordComponents();
        JsonType.OfRecord made = new JsonType.OfRecord(type, constructor(type, components));
        records.put(type, made);
        for (RecordComponent component : components) {
            made.component(component.getName(), of(component.getGenericType()));
            JsonValues.open(component);
        }
        return made;
    }

    private static Constructor<?> constructor(Class<?> type, RecordComponent[] components) {
        try {
            Constructor<?> canonical = type.getDeclaredConstructor(
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
            canonical.setAccessible(true);
            return canonical;
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e); // each record has a canonical constructor
        } catch (InaccessibleObjectException e) {
            throw no(
                    type,
                    "the module must open " + type.getPackageName() + " to org.tutti.serve, org.tutti.futures and"
                            + " org.tutti.mpi");
        }
    }

    // ---- scalars

    private static final Map<String, Object> BASE64 = Map.of("type", "string", "contentEncoding", "base64");

    private static final List<String> NO_NUMBERS = List.of("NaN", "Infinity", "-Infinity");

    private static final Map<Class<?>, JsonType> SCALARS = scalars();

    private static Map<Class<?>, JsonType> scalars() {
        Map<Class<?>, JsonType> all = new HashMap<>();
        whole(all, byte.class, Byte.class, Byte.MIN_VALUE, Byte.MAX_VALUE, x -> (byte) (long) x);
        whole(all, short.class, Short.class, Short.MIN_VALUE, Short.MAX_VALUE, x -> (short) (long) x);
        whole(all, int.class, Integer.class, Integer.MIN_VALUE, Integer.MAX_VALUE, x -> (int) (long) x);
        whole(all, long.class, Long.class, Long.MIN_VALUE, Long.MAX_VALUE, x -> x);
        real(all, float.class, Float.class, Float::valueOf);
        real(all, double.class, Double.class, Double::valueOf);
        JsonType bool = new JsonType.Scalar("boolean", Map.of("type", "boolean"), in -> {
            if (!in.currentToken().isBoolean()) throw mistake(in, shown(in) + " is not true or false");
            return in.getBooleanValue();
        });
        all.put(boolean.class, bool);
        all.put(Boolean.class, bool);
        text(all, String.class, "a text", Map.of(), t -> t);
        text(all, UUID.class, "a UUID", Map.of("format", "uuid"), UUID::fromString);
        text(all, Instant.class, "a time as 2026-01-31T12:00:00Z", Map.of("format", "date-time"), Instant::parse);
        text(all, Duration.class, "a duration as PT1.5S", Map.of("format", "duration"), Duration::parse);
        text(all, LocalDate.class, "a date as 2026-01-31", Map.of("format", "date"), LocalDate::parse);
        text(all, LocalTime.class, "a time as 12:00:00", Map.of(), LocalTime::parse);
        text(all, LocalDateTime.class, "a time as 2026-01-31T12:00:00", Map.of(), LocalDateTime::parse);
        character(all);
        all.put(byte[].class, new JsonType.Scalar("bytes", BASE64, in -> {
            require(in, JsonToken.VALUE_STRING, "a text in base64");
            String text = shown(in); // before the parser discards it
            try {
                byte[] bytes = in.getBinaryValue();
                // the parser returns the same object for all empty arrays; a set, which compares arrays by
                // identity, would contain only one of several empty arrays
                return bytes.length == 0 ? new byte[0] : bytes;
            } catch (JsonProcessingException e) {
                throw mistake(in, text + " is not base64");
            }
        }));
        all.put(BigInteger.class, new JsonType.Scalar("BigInteger", Map.of("type", "integer"), in -> {
            require(in, JsonToken.VALUE_NUMBER_INT, "an integer");
            return in.getBigIntegerValue();
        }));
        all.put(BigDecimal.class, new JsonType.Scalar("BigDecimal", Map.of("type", "number"), in -> {
            if (!in.currentToken().isNumeric()) throw mistake(in, shown(in) + " is not a number");
            BigDecimal value = in.getDecimalValue();
            if (Math.abs((long) value.scale()) > SCALE) throw mistake(in, shown(in) + " has too large an exponent");
            return value;
        }));
        JsonType nothing = new JsonType.Scalar("null", Map.of("type", "null"), in -> {
            require(in, JsonToken.VALUE_NULL, "null");
            return null;
        });
        all.put(Void.class, nothing);
        return Map.copyOf(all);
    }

    private static void whole(
            Map<Class<?>, JsonType> all,
            Class<?> primitive,
            Class<?> boxed,
            long least,
            long most,
            Function<Long, Object> box) {
        String name = primitive.getName();
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("type", "integer");
        if (primitive == int.class || primitive == long.class) {
            schema.put("format", primitive == int.class ? "int32" : "int64");
        }
        schema.put("minimum", least);
        schema.put("maximum", most);
        JsonType type = new JsonType.Scalar(name, schema, in -> {
            require(in, JsonToken.VALUE_NUMBER_INT, "an integer");
            BigInteger value = in.getBigIntegerValue();
            if (value.bitLength() >= Long.SIZE || value.longValue() < least || value.longValue() > most) {
                throw mistake(in, shown(in) + " is not within " + least + " to " + most);
            }
            return box.apply(value.longValue());
        });
        all.put(primitive, type);
        all.put(boxed, type);
    }

    /// Parses a number. NaN and the infinities are strings in JSON. A number is parsed as the declared type and
    /// rounded only once: parsed as a `double`, the shortest text of `Float.MAX_VALUE` would exceed
    /// `Float.MAX_VALUE`.
    private static void real(
            Map<Class<?>, JsonType> all, Class<?> primitive, Class<?> boxed, Function<String, Number> parse) {
        Map<String, Object> number = Map.of("type", "number", "format", primitive.getName());
        Map<String, Object> schema = Map.of("anyOf", List.of(number, Map.of("type", "string", "enum", NO_NUMBERS)));
        JsonType type = new JsonType.Scalar(primitive.getName(), schema, in -> {
            if (in.currentToken().isNumeric()) {
                Number value = parse.apply(in.getText());
                if (Double.isInfinite(value.doubleValue())) {
                    throw mistake(in, shown(in) + " is too large for a " + primitive.getName());
                }
                return value;
            }
            if (in.currentToken() == JsonToken.VALUE_STRING && NO_NUMBERS.contains(in.getText())) {
                return parse.apply(in.getText());
            }
            throw mistake(in, shown(in) + " is not a number");
        });
        all.put(primitive, type);
        all.put(boxed, type);
    }

    private static void text(
            Map<Class<?>, JsonType> all,
            Class<?> type,
            String expected,
            Map<String, Object> format,
            Function<String, Object> parse) {
        Map<String, Object> schema = new LinkedHashMap<>(Map.of("type", "string"));
        schema.putAll(format);
        all.put(type, new JsonType.Scalar(type.getSimpleName(), schema, in -> {
            require(in, JsonToken.VALUE_STRING, expected);
            try {
                return parse.apply(in.getText());
            } catch (java.time.DateTimeException | IllegalArgumentException e) {
                throw mistake(in, shown(in) + " is not " + expected);
            }
        }));
    }

    private static void character(Map<Class<?>, JsonType> all) {
        Map<String, Object> schema = Map.of("type", "string", "minLength", 1, "maxLength", 1);
        JsonType type = new JsonType.Scalar("char", schema, in -> {
            require(in, JsonToken.VALUE_STRING, "one character");
            String text = in.getText();
            if (text.length() != 1) throw mistake(in, shown(in) + " is not one character");
            return text.charAt(0);
        });
        all.put(char.class, type);
        all.put(Character.class, type);
    }
}
