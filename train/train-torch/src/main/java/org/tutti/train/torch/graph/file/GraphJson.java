package org.tutti.train.torch.graph.file;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.CharConversionException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.train.checkpoint.CheckpointException;

/// Reads JSON value by value, within limits. An error states the path in the JSON, such as
/// `/graph_module/graph/nodes/3`.
///
/// Each method reads the current value; afterwards, the current token is the last token of this value.
final class GraphJson {
    private static final int DEEPEST = 64, LONGEST_NAME = 4096, LONGEST_NUMBER = 400, LONGEST_TEXT = 1 << 22;
    private static final int MOST_VALUES = 2_000_000, SHOWN_CHARS = 80;

    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(DEEPEST)
                    .maxNameLength(LONGEST_NAME)
                    .maxNumberLength(LONGEST_NUMBER)
                    .maxStringLength(LONGEST_TEXT)
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .build();

    /// Reads a value.
    @FunctionalInterface
    interface Part<T extends @Nullable Object> {
        T read() throws IOException;
    }

    /// Reads the value of a field.
    @FunctionalInterface
    interface Field {
        void read(String name) throws IOException;
    }

    /// Reads a document.
    @FunctionalInterface
    interface Document<T> {
        T read(GraphJson json) throws IOException;
    }

    private final JsonParser parser;
    private final String where;
    private final Map<String, String> names = new HashMap<>();
    private int values;

    private GraphJson(JsonParser parser, String where) {
        this.parser = parser;
        this.where = where;
    }

    /// Reads a document with a single value.
    ///
    /// @param where the file and the entry, for errors
    static <T> T read(MemorySegment text, String where, Document<T> document) throws IOException {
        try (JsonParser parser = JSON.createParser(new Bytes(text))) {
            return new GraphJson(parser, where).whole(document);
        } catch (JsonProcessingException e) {
            throw new CheckpointException(where + " is not valid JSON: " + sentence(e.getOriginalMessage()));
        } catch (CharConversionException e) {
            throw new CheckpointException(where + " is not valid JSON: it is not UTF-8");
        }
    }

    /// Reads a document in a string.
    static <T> T read(String text, String where, Document<T> document) throws IOException {
        try (JsonParser parser = JSON.createParser(text)) {
            return new GraphJson(parser, where).whole(document);
        } catch (JsonProcessingException e) {
            throw new CheckpointException(where + " is not valid JSON: " + sentence(e.getOriginalMessage()));
        }
    }

    private <T> T whole(Document<T> document) throws IOException {
        parser.nextToken();
        T value = document.read(this);
        if (parser.nextToken() != null) throw refused("has a second value");
        return value;
    }

    /// Returns a string of a file as it is shown in an error: on one line and shortened.
    static String shown(String text) {
        String line = text.codePoints()
                .limit(SHOWN_CHARS + 1L)
                .map(c -> Character.isISOControl(c) ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        return line.length() <= SHOWN_CHARS ? line : line.substring(0, SHOWN_CHARS) + "…";
    }

    /// Returns the first line of the parser's message, without the position in the text.
    private static String sentence(String message) {
        int end = message.indexOf('\n'), position = message.indexOf(" (start marker");
        String line = end < 0 ? message : message.substring(0, end);
        return position < 0 ? line : line.substring(0, Math.min(position, line.length()));
    }

    CheckpointException refused(String problem) {
        return new CheckpointException(where + ": "
                + GraphJson.shown(parser.getParsingContext().pathAsPointer().toString()) + " " + problem);
    }

    /// Reads an object.
    void object(Field field) throws IOException {
        expect(JsonToken.START_OBJECT, "an object");
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            field.read(name);
        }
    }

    /// Reads an object with one field, which states the kind of the value.
    void union(Field kind) throws IOException {
        expect(JsonToken.START_OBJECT, "an object");
        if (parser.nextToken() != JsonToken.FIELD_NAME) throw refused("has no kind");
        String name = parser.currentName();
        parser.nextToken();
        kind.read(name);
        if (parser.nextToken() != JsonToken.END_OBJECT) throw refused("has two kinds");
    }

    <T extends @Nullable Object> List<T> list(Part<T> element) throws IOException {
        expect(JsonToken.START_ARRAY, "a list");
        List<T> read = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            count();
            read.add(element.read());
        }
        return read.isEmpty() ? List.of() : read;
    }

    <T> Map<String, T> map(Part<T> value) throws IOException {
        Map<String, T> read = new HashMap<>();
        object(name -> {
            count();
            read.put(pooled(name), value.read());
        });
        return read;
    }

    /// Counts a value, to limit the memory of a document.
    private void count() throws CheckpointException {
        if (++values > MOST_VALUES) throw refused("is beyond the limit of " + MOST_VALUES + " values");
    }

    boolean isNull() {
        return parser.currentToken() == JsonToken.VALUE_NULL;
    }

    boolean isObject() {
        return parser.currentToken() == JsonToken.START_OBJECT;
    }

    boolean isText() {
        return parser.currentToken() == JsonToken.VALUE_STRING;
    }

    String text() throws IOException {
        expect(JsonToken.VALUE_STRING, "a text");
        return parser.getText();
    }

    /// Reads a name. Equal names are one object.
    String name() throws IOException {
        String text = text();
        if (text.isEmpty() || text.length() > LONGEST_NAME)
            throw refused("has a name of " + text.length() + " characters");
        return pooled(text);
    }

    private String pooled(String name) {
        @Nullable String known = names.putIfAbsent(name, name);
        return known == null ? name : known;
    }

    /// Reads a key of a Python dictionary: a string, or a number, which is returned as a string.
    String key() throws IOException {
        return isText() ? name() : String.valueOf(integer());
    }

    long integer() throws IOException {
        expect(JsonToken.VALUE_NUMBER_INT, "an integer");
        if (parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER)
            throw refused("is beyond the integers of 64 bits");
        return parser.getLongValue();
    }

    /// Reads a code of an enumeration.
    int code() throws IOException {
        long value = integer();
        if (value != (int) value) throw refused("has the unknown code " + value);
        return (int) value;
    }

    /// Reads a real number. Python writes non-finite numbers as text.
    double real() throws IOException {
        if (isText()) {
            return switch (parser.getText()) {
                case "Infinity" -> Double.POSITIVE_INFINITY;
                case "-Infinity" -> Double.NEGATIVE_INFINITY;
                case "NaN" -> Double.NaN;
                default -> throw refused("is not a number");
            };
        }
        if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT) expect(JsonToken.VALUE_NUMBER_FLOAT, "a number");
        return parser.getDoubleValue();
    }

    boolean bool() throws IOException {
        if (parser.currentToken() != JsonToken.VALUE_TRUE) expect(JsonToken.VALUE_FALSE, "true or false");
        return parser.getBooleanValue();
    }

    void skip() throws IOException {
        parser.skipChildren();
    }

    private void expect(JsonToken wanted, String value) throws CheckpointException {
        if (parser.currentToken() != wanted) throw refused("must be " + value);
    }

    /// The bytes of a segment.
    private static final class Bytes extends InputStream {
        private final MemorySegment from;
        private long at;

        Bytes(MemorySegment from) {
            this.from = from;
        }

        @Override
        public int read() {
            return at == from.byteSize() ? -1 : Byte.toUnsignedInt(from.get(ValueLayout.JAVA_BYTE, at++));
        }

        @Override
        public int read(byte[] into, int offset, int length) {
            if (length == 0) return 0;
            int bytes = (int) Math.min(length, from.byteSize() - at);
            if (bytes == 0) return -1;
            MemorySegment.copy(from, ValueLayout.JAVA_BYTE, at, into, offset, bytes);
            at += bytes;
            return bytes;
        }
    }
}
