package org.tutti.serve.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Array;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Writes values as JSON in one line: values that are sent between ranks, and documents of the service.
public final class JsonValues {
    private static final JsonFactory FACTORY = new JsonFactory();

    /// The accessors of each record.
    private static final ClassValue<Method[]> ACCESSORS = new ClassValue<>() {
        @Override
        protected Method[] computeValue(Class<?> type) {
            RecordComponent[] components = type.getRecordComponents();
            Method[] all = new Method[components.length];
            for (int i = 0; i < all.length; i++) all[i] = open(components[i]);
            return all;
        }
    };

    private JsonValues() {}

    static Method open(RecordComponent component) {
        Method accessor = component.getAccessor();
        try {
            accessor.setAccessible(true);
        } catch (InaccessibleObjectException e) {
            throw new IllegalArgumentException(
                    component.getDeclaringRecord().getName() + " has no JSON form; the module must open the package to"
                            + " org.tutti.serve",
                    e);
        }
        return accessor;
    }

    /// Returns `value` as JSON, in UTF-8.
    public static byte[] bytes(@Nullable Object value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            write(value, out);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // thrown for a value without JSON form
        }
        return out.toByteArray();
    }

    /// Writes `value` to `out` without closing it.
    public static void write(@Nullable Object value, OutputStream out) throws IOException {
        try (JsonGenerator json = FACTORY.createGenerator(out).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)) {
            write(value, json);
        }
    }

    private static void write(@Nullable Object value, JsonGenerator out) throws IOException {
        switch (value) {
            case null -> out.writeNull();
            case String text -> text(text, out);
            case Boolean b -> out.writeBoolean(b);
            case Integer i -> out.writeNumber(i);
            case Long l -> out.writeNumber(l);
            case Short s -> out.writeNumber(s);
            case Byte b -> out.writeNumber(b.shortValue());
            case Double d -> out.writeNumber(d);
            case Float f -> out.writeNumber(f);
            case BigInteger b -> out.writeNumber(b);
            case BigDecimal d -> out.writeNumber(d);
            case Enum<?> e -> text(e.name(), out);
            case byte[] bytes -> out.writeBinary(bytes);
            case int[] array -> out.writeArray(array, 0, array.length);
            case long[] array -> out.writeArray(array, 0, array.length);
            case double[] array -> out.writeArray(array, 0, array.length);
            case Optional<?> o -> write(o.orElse(null), out);
            case Map<?, ?> map -> {
                out.writeStartObject();
                for (var entry : map.entrySet()) {
                    out.writeFieldName(entry.getKey() instanceof Enum<?> e ? e.name() : String.valueOf(entry.getKey()));
                    write(entry.getValue(), out);
                }
                out.writeEndObject();
            }
            case Iterable<?> all -> {
                out.writeStartArray();
                for (Object each : all) write(each, out);
                out.writeEndArray();
            }
            case Record record -> record(record, out);
            default -> other(value, out);
        }
    }

    /// Writes a string. An unpaired surrogate has no UTF-8 form, but JSON has an escape for it.
    private static void text(String text, JsonGenerator out) throws IOException {
        int lone = loneSurrogate(text, 0);
        if (lone < 0) {
            out.writeString(text);
            return;
        }
        StringBuilder escaped = new StringBuilder("\"");
        int from = 0;
        for (; lone >= 0; from = lone + 1, lone = loneSurrogate(text, from)) {
            JsonStringEncoder.getInstance().quoteAsString(text.substring(from, lone), escaped);
            escaped.append("\\u%04x".formatted((int) text.charAt(lone)));
        }
        JsonStringEncoder.getInstance().quoteAsString(text.substring(from), escaped);
        out.writeRawValue(escaped.append('"').toString());
    }

    private static int loneSurrogate(String text, int from) {
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!Character.isSurrogate(c)) continue;
            boolean isPair = Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1));
            if (!isPair) return i;
            i++;
        }
        return -1;
    }

    private static void other(Object value, JsonGenerator out) throws IOException {
        if (value.getClass().isArray()) {
            out.writeStartArray();
            int length = Array.getLength(value);
            for (int i = 0; i < length; i++) write(Array.get(value, i), out);
            out.writeEndArray();
        } else {
            text(value.toString(), out); // times, UUIDs and characters can be read from this text
        }
    }

    private static void record(Record record, JsonGenerator out) throws IOException {
        Method[] accessors = ACCESSORS.get(record.getClass());
        out.writeStartObject();
        for (Method accessor : accessors) {
            out.writeFieldName(accessor.getName());
            try {
                write(accessor.invoke(record), out);
            } catch (InvocationTargetException e) {
                throw new IOException(record.getClass().getName() + "." + accessor.getName() + " has failed", e);
            } catch (IllegalAccessException e) {
                throw new AssertionError(e); // not thrown: `open` made the accessor accessible
            }
        }
        out.writeEndObject();
    }
}
