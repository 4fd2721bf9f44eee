package org.tutti.train.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayOutputStream;
import java.io.CharConversionException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// Describes a complete checkpoint, or one rank's part.
///
///     {"number": 7, "step": 1200, "parts": [{"file": "step-000000001200.safetensors", "bytes": 80024,
///      "sha256": "3c1f…"}], "sum": "8d7e5bb1"}
///
/// The sum is the CRC-32C of the other values. Manifests of earlier versions have no sum.
///
/// @param number counts the checkpoints of the directory, from 1; for a rank's part, the ID of the attempt to
///     save the step
record Manifest(long number, long step, List<Part> parts) {
    private static final JsonFactory JSON = new JsonFactory();

    /// Maximum size in bytes, which suffices for a hundred thousand parts.
    private static final long MOST_BYTES = 1 << 24;

    /// A file.
    record Part(String file, long bytes, String sha256) {}

    byte[] text() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = JSON.createGenerator(out)) {
            json.writeStartObject();
            json.writeNumberField("number", number);
            json.writeNumberField("step", step);
            json.writeArrayFieldStart("parts");
            for (Part p : parts) {
                json.writeStartObject();
                json.writeStringField("file", p.file);
                json.writeNumberField("bytes", p.bytes);
                json.writeStringField("sha256", p.sha256);
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeStringField("sum", sum());
            json.writeEndObject();
        }
        return out.toByteArray();
    }

    private String sum() {
        CRC32C sum = new CRC32C();
        sum.update((number + " " + step + " " + parts).getBytes(UTF_8));
        return "%08x".formatted(sum.getValue());
    }

    /// @throws CheckpointException if it is not a manifest, or damaged
    static Manifest read(Path path) throws IOException {
        if (Files.size(path) > MOST_BYTES) {
            throw new CheckpointException("is not a manifest: it has more than " + MOST_BYTES + " bytes");
        }
        return parse(Files.readAllBytes(path));
    }

    /// @throws CheckpointException if it is not a manifest, or damaged
    static Manifest parse(byte[] text) throws IOException {
        try (JsonParser json = JSON.createParser(text)) {
            if (json.nextToken() != JsonToken.START_OBJECT) throw new CheckpointException("is not a manifest");
            return new Reading(json).read();
        } catch (JsonProcessingException e) {
            throw new CheckpointException("is not a manifest: " + e.getOriginalMessage());
        } catch (CharConversionException e) {
            throw new CheckpointException("is not a manifest: it is not UTF-8");
        }
    }

    private static final Pattern FILE = Pattern.compile("[\\w.-]+");

    private static final class Reading {
        private final JsonParser json;
        private final List<Part> parts = new ArrayList<>();
        private long number, step = -1, bytes = -1;
        private @Nullable String file, sha256, sum;

        Reading(JsonParser json) {
            this.json = json;
        }

        /// Reads the manifest. In earlier versions the fields of a single file were at the same level as the
        /// step.
        Manifest read() throws IOException {
            fields();
            if (parts.isEmpty()) addPart();
            if (step < 0) throw new CheckpointException("is an incomplete manifest");
            Manifest read = new Manifest(number, step, List.copyOf(parts));
            if (sum != null && !sum.equals(read.sum()))
                throw new CheckpointException("is damaged: the checksum differs");
            if (json.nextToken() != null) throw new CheckpointException("is not a manifest: it has a second value");
            return read;
        }

        private void fields() throws IOException {
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String field = json.currentName();
                JsonToken value = json.nextToken();
                switch (field) {
                    case "number" -> number = json.getLongValue();
                    case "step" -> step = json.getLongValue();
                    case "bytes" -> bytes = json.getLongValue();
                    case "file" -> file = json.getText();
                    case "sha256" -> sha256 = json.getText();
                    case "sum" -> sum = json.getText();
                    case "parts" -> {
                        if (value != JsonToken.START_ARRAY) throw new CheckpointException("is not a manifest");
                        while (json.nextToken() == JsonToken.START_OBJECT) {
                            fields();
                            addPart();
                        }
                    }
                    default -> json.skipChildren();
                }
            }
        }

        private void addPart() throws CheckpointException {
            if (bytes < 0 || file == null || sha256 == null) throw new CheckpointException("is an incomplete manifest");
            if (!FILE.matcher(file).matches())
                throw new CheckpointException("names a file that does not belong to a checkpoint");
            parts.add(new Part(file, bytes, sha256));
            bytes = -1;
            file = null;
            sha256 = null;
        }
    }
}
