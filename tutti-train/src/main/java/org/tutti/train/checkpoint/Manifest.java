package org.tutti.train.checkpoint;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Vouches for a checkpoint, or for one rank's part of it.
///
///     {"number": 7, "step": 1200, "parts": [{"file": "step-000000001200.safetensors", "bytes": 80024,
///      "sha256": "3c1f…"}]}
///
/// @param number counts the checkpoints of the directory, from 1; of a part, which attempt it belongs to
record Manifest(long number, long step, List<Part> parts) {
    private static final JsonFactory JSON = new JsonFactory();

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
            json.writeEndObject();
        }
        return out.toByteArray();
    }

    /// @throws CheckpointException when it is none, or not whole
    static Manifest read(Path path) throws IOException {
        return parse(Files.readAllBytes(path));
    }

    /// @throws CheckpointException when it is none, or not whole
    static Manifest parse(byte[] text) throws IOException {
        try (JsonParser json = JSON.createParser(text)) {
            if (json.nextToken() != JsonToken.START_OBJECT) throw new CheckpointException("is no manifest");
            return new Reading(json).read();
        } catch (JsonProcessingException e) {
            throw new CheckpointException("is no manifest: " + e.getOriginalMessage());
        }
    }

    private static final Pattern FILE = Pattern.compile("[\\w.-]+");

    private static final class Reading {
        private final JsonParser json;
        private final List<Part> parts = new ArrayList<>();
        private long number, step = -1, bytes = -1;
        private @Nullable String file, sum;

        Reading(JsonParser json) {
            this.json = json;
        }

        /// The fields of a single file's were beside the step's once.
        Manifest read() throws IOException {
            fields();
            if (parts.isEmpty()) addPart();
            if (step < 0) throw new CheckpointException("is no whole manifest");
            return new Manifest(number, step, List.copyOf(parts));
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
                    case "sha256" -> sum = json.getText();
                    case "parts" -> {
                        if (value != JsonToken.START_ARRAY) throw new CheckpointException("is no manifest");
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
            if (bytes < 0 || file == null || sum == null) throw new CheckpointException("is no whole manifest");
            if (!FILE.matcher(file).matches()) throw new CheckpointException("names a file that is no checkpoint's");
            parts.add(new Part(file, bytes, sum));
            bytes = -1;
            file = null;
            sum = null;
        }
    }
}
