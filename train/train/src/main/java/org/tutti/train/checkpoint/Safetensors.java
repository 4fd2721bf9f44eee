package org.tutti.train.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.ByteArrayOutputStream;
import java.io.CharConversionException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.tutti.train.model.DType;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;

/// Files of named tensors.
///
///     | length of the header, int64 | header: JSON, padded with blanks | the tensors' bytes, one after the other |
///
///     {"__metadata__": {"step": "1200"}, "fc1.weight": {"dtype": "F32", "shape": [512, 784],
///      "data_offsets": [0, 1605632]}, …}
///
/// All numbers are little-endian. Unlike a pickle, a file cannot contain code.
///
/// @param tensors in the order of the data
/// @param metadata strings of the user, by key
/// @see <a href="https://github.com/huggingface/safetensors">the format</a>
public record Safetensors(List<Tensor> tensors, Map<String, String> metadata) {
    private static final String METADATA = "__metadata__";
    private static final long LONGEST_HEADER = 100_000_000;
    private static final int ALIGNMENT = 8;
    private static final int PART = 1 << 20, SHOWN_CHARS = 60;

    /// Allows strings and names up to the maximum length of a header, so that the reader accepts all output of
    /// the writer.
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength((int) LONGEST_HEADER)
                    .maxNameLength((int) LONGEST_HEADER)
                    .build())
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .build();

    public Safetensors {
        tensors = List.copyOf(tensors);
        metadata = Map.copyOf(metadata);
        Set<String> names = new HashSet<>();
        for (Tensor t : tensors) {
            if (t.name().equals(METADATA) || !names.add(t.name()))
                throw new IllegalArgumentException("two tensors are called " + t.name() + ", or none may be");
        }
    }

    /// Returns the tensor of that name.
    ///
    /// @throws IllegalArgumentException if none
    public Tensor tensor(String name) {
        for (Tensor t : tensors) if (t.name().equals(name)) return t;
        throw new IllegalArgumentException("no tensor " + name + "; there are "
                + tensors.stream().map(Tensor::name).toList());
    }

    /// Returns the same tensors with other names, to match the layers of a different library: `name ->
    /// name.replaceFirst("^model[.]", "")`.
    ///
    /// @throws IllegalArgumentException if two tensors get the same name
    public Safetensors mapNames(UnaryOperator<String> by) {
        List<Tensor> renamed = new ArrayList<>();
        for (Tensor t : tensors) {
            TensorSpec spec = t.spec();
            renamed.add(new Tensor(new TensorSpec(by.apply(spec.name()), spec.dtype(), spec.shape()), t.data()));
        }
        return new Safetensors(renamed, metadata);
    }

    /// Returns the tensors and the metadata of all parts. If a metadata key occurs twice, the value of the
    /// first part is used.
    static Safetensors joined(List<Safetensors> parts) {
        List<Tensor> tensors = new ArrayList<>();
        Map<String, String> metadata = new LinkedHashMap<>();
        for (Safetensors part : parts) {
            tensors.addAll(part.tensors);
            part.metadata.forEach(metadata::putIfAbsent);
        }
        metadata.remove(Checkpoints.PART);
        return new Safetensors(tensors, metadata);
    }

    /// Writes the file, with a buffer of 1 MiB.
    public void write(WritableByteChannel to) throws IOException {
        if (ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN)
            throw new IOException("safetensors files are little-endian, and this machine is not");
        byte[] header = header();
        ByteBuffer head = ByteBuffer.allocate(8 + header.length).order(ByteOrder.LITTLE_ENDIAN);
        head.putLong(header.length).put(header).flip();
        writeAll(head, to);
        try (Arena arena = Arena.ofConfined()) {
            // a copy of a part, because a channel does not accept a buffer of a segment of doubles
            MemorySegment part = arena.allocate(PART);
            for (Tensor t : tensors) {
                MemorySegment data = t.storage().read();
                for (long at = 0; at < data.byteSize(); at += PART) {
                    long bytes = Math.min(PART, data.byteSize() - at);
                    MemorySegment.copy(data, at, part, 0, bytes);
                    writeAll(part.asSlice(0, bytes).asByteBuffer(), to);
                }
            }
        }
    }

    private static byte[] bytes(MemorySegment data, long at, long bytes) {
        byte[] copy = new byte[(int) bytes];
        MemorySegment.copy(data, at, MemorySegment.ofArray(copy), 0, bytes);
        return copy;
    }

    private static void writeAll(ByteBuffer bytes, WritableByteChannel to) throws IOException {
        while (bytes.hasRemaining()) to.write(bytes);
    }

    /// @throws IllegalArgumentException if no reader would accept the header
    private byte[] header() throws IOException {
        metadata.forEach((key, text) -> {
            requireUnicode(key, "a key of the metadata");
            requireUnicode(text, "the metadata's " + shown(key));
        });
        ByteArrayOutputStream out = new Bounded();
        try (JsonGenerator json = JSON.createGenerator(out)) {
            json.writeStartObject();
            if (!metadata.isEmpty()) {
                json.writeObjectFieldStart(METADATA);
                for (String key : metadata.keySet().stream().sorted().toList())
                    json.writeStringField(key, metadata.get(key));
                json.writeEndObject();
            }
            long at = 0;
            for (Tensor t : tensors) {
                requireUnicode(t.name(), "the name of a tensor");
                json.writeObjectFieldStart(t.name());
                json.writeStringField("dtype", t.spec().dtype().name());
                json.writeArrayFieldStart("shape");
                for (long d : t.spec().shape()) json.writeNumber(d);
                json.writeEndArray();
                json.writeArrayFieldStart("data_offsets");
                json.writeNumber(at);
                at += t.spec().sizeBytes();
                json.writeNumber(at);
                json.writeEndArray();
                json.writeEndObject();
            }
            json.writeEndObject();
        }
        byte[] text = out.toByteArray();
        byte[] padded = Arrays.copyOf(text, (text.length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
        Arrays.fill(padded, text.length, padded.length, (byte) ' ');
        return padded;
    }

    private static void requireUnicode(String text, String field) {
        if (UTF_8.newEncoder().canEncode(text)) return;
        throw new IllegalArgumentException(field + " is not Unicode: it has an unpaired surrogate: "
                + shown(text.replaceAll("[\\ud800-\\udfff]", "?")));
    }

    private static String shown(String text) {
        return text.length() <= SHOWN_CHARS ? text : text.substring(0, SHOWN_CHARS) + "…";
    }

    /// A header that is being written; refuses more bytes than the maximum length.
    private static final class Bounded extends ByteArrayOutputStream {
        @Override
        public synchronized void write(byte[] from, int at, int length) {
            if (count + (long) length > LONGEST_HEADER - ALIGNMENT) {
                throw new IllegalArgumentException("the names of the tensors and the metadata are longer than "
                        + LONGEST_HEADER + " bytes, the maximum of a safetensors file");
            }
            super.write(from, at, length);
        }
    }

    /// Maps a file. The tensors can be read, but not written, until the arena is closed.
    ///
    /// @throws CheckpointException if it is not a safetensors file, or is incomplete
    public static Safetensors read(Path file, Arena arena) throws IOException {
        MemorySegment all = NamedFile.on(file, () -> {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
            }
        });
        return in(all, file.toString());
    }

    /// Parses a file in memory; the tensors are slices of it.
    ///
    /// @param file the file name, for errors
    static Safetensors in(MemorySegment all, String file) throws IOException {
        long size = all.byteSize();
        if (size < 8) throw new CheckpointException(file + " has " + size + " bytes, not even a header's length");
        long length =
                ByteBuffer.wrap(bytes(all, 0, 8)).order(ByteOrder.LITTLE_ENDIAN).getLong();
        if (length < 2 || length > LONGEST_HEADER || length > size - 8) {
            ForeignFormat.refuse(all, file);
            throw new CheckpointException(file + " begins with a header's length of " + length
                    + ", which cannot be in a file of " + size + " bytes: no safetensors file, or cut off");
        }
        byte[] header = bytes(all, 8, length);
        try (JsonParser json = JSON.createParser(header)) {
            return new Header(file, all.asSlice(8 + length)).read(json);
        } catch (JsonProcessingException e) {
            ForeignFormat.refuse(all, file);
            throw new CheckpointException(file + ": the header is not JSON: " + e.getOriginalMessage());
        } catch (CharConversionException e) {
            throw new CheckpointException(file + ": the header is not UTF-8");
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new CheckpointException(file + ": " + e.getMessage());
        }
    }

    /// The header of a file during parsing.
    private record Header(String file, MemorySegment data) {
        private record Entry(TensorSpec spec, long from, long to) {}

        Safetensors read(JsonParser json) throws IOException {
            Map<String, String> metadata = new LinkedHashMap<>();
            List<Entry> entries = new ArrayList<>();
            expect(json.nextToken(), JsonToken.START_OBJECT, "the header");
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                expect(json.nextToken(), JsonToken.START_OBJECT, name);
                if (name.equals(METADATA)) readMetadata(json, metadata);
                else entries.add(entry(json, name));
            }
            // of two tensors with the same offset, the first one in this order is empty
            entries.sort(Comparator.comparingLong(Entry::from).thenComparingLong(Entry::to));
            List<Tensor> tensors = new ArrayList<>();
            long end = 0;
            for (Entry e : entries) {
                if (e.from != end || e.to - e.from != e.spec.sizeBytes() || e.to > data.byteSize()) {
                    throw new CheckpointException(file + ": " + e.spec + " has the offsets " + e.from + " to " + e.to
                            + "; it has " + e.spec.sizeBytes() + ", begins at " + end + ", and there are "
                            + data.byteSize() + ": damaged or cut off");
                }
                tensors.add(new Tensor(e.spec, data.asSlice(e.from, e.to - e.from)));
                end = e.to;
            }
            if (end != data.byteSize())
                throw new CheckpointException(file + ": " + (data.byteSize() - end) + " bytes are of no tensor");
            return new Safetensors(tensors, metadata);
        }

        private void readMetadata(JsonParser json, Map<String, String> into) throws IOException {
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String key = json.currentName();
                expect(json.nextToken(), JsonToken.VALUE_STRING, key);
                into.put(key, json.getText());
            }
        }

        private Entry entry(JsonParser json, String name) throws IOException {
            DType type = null;
            List<Long> shape = null, offsets = null;
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String field = json.currentName();
                JsonToken value = json.nextToken();
                switch (field) {
                    case "dtype" -> type = DType.valueOf(json.getText());
                    case "shape" -> shape = numbers(json, value, name);
                    case "data_offsets" -> offsets = numbers(json, value, name);
                    default -> throw new CheckpointException(file + ": " + name + " has a field " + field);
                }
            }
            if (type == null || shape == null || offsets == null || offsets.size() != 2)
                throw new CheckpointException(file + ": " + name + " lacks the type, the shape or the offsets");
            return new Entry(new TensorSpec(name, type, shape), offsets.get(0), offsets.get(1));
        }

        private List<Long> numbers(JsonParser json, JsonToken first, String field) throws IOException {
            expect(first, JsonToken.START_ARRAY, field);
            List<Long> numbers = new ArrayList<>();
            while (json.nextToken() != JsonToken.END_ARRAY) {
                expect(json.currentToken(), JsonToken.VALUE_NUMBER_INT, field);
                numbers.add(json.getLongValue());
            }
            return numbers;
        }

        private void expect(JsonToken seen, JsonToken wanted, String field) throws CheckpointException {
            if (seen != wanted)
                throw new CheckpointException(file + ": " + field + " has " + seen + " where " + wanted + " must be");
        }
    }
}
