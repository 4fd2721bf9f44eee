package org.tutti.train.checkpoint;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayOutputStream;
import java.io.CharConversionException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.tutti.train.model.Tensor;

/// A published model: one safetensors file, or several files with an index of the tensors.
///
///     {"metadata": {"total_size": 28966928384},
///      "weight_map": {"lm_head.weight": "model-00002-of-00002.safetensors", …}}
public final class ModelFiles {
    private static final String INDEX = ".safetensors.index.json", TENSORS = ".safetensors";
    private static final String MODEL = "model";
    private static final Pattern SHARD = Pattern.compile(MODEL + "-\\d{5,}-of-\\d{5,}" + Pattern.quote(TENSORS));
    private static final JsonFactory JSON = new JsonFactory();

    private ModelFiles() {}

    /// Maps all files. The tensors can be read, but not written, until the arena is closed.
    ///
    /// @param where a file of tensors, an index, or a directory with an index or with one file of tensors
    /// @throws CheckpointException if the directory has no model or several models; if a file is damaged; or if
    ///     a file does not contain a tensor that the index lists
    public static Safetensors read(Path where, Arena arena) throws IOException {
        Path file = Files.isDirectory(where) ? only(where) : where;
        return file.toString().endsWith(INDEX) ? indexed(file, arena) : Safetensors.read(file, arena);
    }

    private static Path only(Path directory) throws IOException {
        List<Path> indexes = ending(directory, INDEX);
        List<Path> found = indexes.isEmpty() ? ending(directory, TENSORS) : indexes;
        if (found.size() == 1) return found.getFirst();
        String problem = found.isEmpty()
                ? " has neither a file *" + INDEX + " nor one *" + TENSORS + pickles(directory)
                : " has " + found.size() + " models: "
                        + found.stream().map(p -> p.getFileName().toString()).toList() + "; name one model";
        throw new CheckpointException(directory + problem);
    }

    /// Returns the unsupported files in the directory.
    private static String pickles(Path directory) throws IOException {
        List<Path> found = new ArrayList<>(ending(directory, ".bin"));
        found.addAll(ending(directory, ".pt"));
        found.addAll(ending(directory, ".pth"));
        if (found.isEmpty()) return "";
        return ", but " + found.getFirst().getFileName() + ", a file of torch.save; convert it in Python with"
                + " safetensors.torch.save_file";
    }

    private static List<Path> ending(Path directory, String end) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(p -> p.getFileName().toString().endsWith(end))
                    .sorted()
                    .toList();
        }
    }

    private static Safetensors indexed(Path index, Arena arena) throws IOException {
        Map<String, String> places = places(index);
        Map<String, Safetensors> files = new LinkedHashMap<>();
        Map<String, String> metadata = new LinkedHashMap<>();
        List<Tensor> tensors = new ArrayList<>();
        for (Map.Entry<String, String> place : places.entrySet()) {
            Safetensors file = files.get(place.getValue());
            if (file == null) {
                file = Safetensors.read(index.resolveSibling(place.getValue()), arena);
                files.put(place.getValue(), file);
                metadata.putAll(file.metadata());
            }
            tensors.add(find(file, place.getKey(), place.getValue(), index));
        }
        return new Safetensors(tensors, metadata);
    }

    private static Tensor find(Safetensors file, String tensor, String name, Path index) throws CheckpointException {
        for (Tensor t : file.tensors()) if (t.name().equals(tensor)) return t;
        throw new CheckpointException(index + " lists " + tensor + " in " + name + ", which has "
                + file.tensors().size() + " tensors and not this one");
    }

    /// Returns the file of each tensor.
    private static Map<String, String> places(Path index) throws IOException {
        Map<String, String> places = new LinkedHashMap<>();
        try (JsonParser json = JSON.createParser(NamedFile.on(index, () -> Files.readAllBytes(index)))) {
            if (json.nextToken() != JsonToken.START_OBJECT) throw new CheckpointException(index + " is not an index");
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String field = json.currentName();
                JsonToken value = json.nextToken();
                if (!field.equals("weight_map")) {
                    json.skipChildren();
                    continue;
                }
                if (value != JsonToken.START_OBJECT)
                    throw new CheckpointException(index + ": weight_map is not an object");
                while (json.nextToken() == JsonToken.FIELD_NAME) {
                    String tensor = json.currentName();
                    if (json.nextToken() != JsonToken.VALUE_STRING) {
                        throw new CheckpointException(index + ": the location of " + tensor + " is not a file");
                    }
                    places.put(tensor, fileName(json.getText(), tensor, index));
                }
            }
        } catch (JsonProcessingException e) {
            throw new CheckpointException(index + " is not an index: " + e.getOriginalMessage());
        } catch (CharConversionException e) {
            throw new CheckpointException(index + " is not an index: it is not UTF-8");
        }
        if (places.isEmpty())
            throw new CheckpointException(index + " names no tensors; is it an index of safetensors?");
        return places;
    }

    /// Checks and returns a file name from an index, which may be untrusted.
    ///
    /// @throws CheckpointException if this is not the name of a file next to the index
    private static String fileName(String name, String tensor, Path index) throws CheckpointException {
        if (name.endsWith(TENSORS) && name.chars().noneMatch(c -> c == '/' || c == '\\' || c == ':' || c < ' ')) {
            return name;
        }
        throw new CheckpointException(index + ": the location of " + tensor + " is \"" + name
                + "\"; it must be a file *" + TENSORS + " in the directory of the index");
    }

    /// Writes a model as `model.safetensors`; if the model is larger than `maxFileBytes`, as
    /// `model-00001-of-0000N.safetensors` and so on, with the index `model.safetensors.index.json`. Creates the
    /// directory if necessary. The files replace files of a previous model with the same names. After a crash,
    /// the directory has the previous model, the new model, or no model that a reader accepts.
    ///
    /// @param maxFileBytes the maximum size of a file's tensors; a larger tensor has a separate file
    public static void write(Path directory, Safetensors model, long maxFileBytes) throws IOException {
        if (maxFileBytes < 1) throw new IllegalArgumentException("files of " + maxFileBytes + " bytes; at least 1");
        Files.createDirectories(directory);
        List<Safetensors> shards = shards(model, maxFileBytes);
        Path index = directory.resolve(MODEL + INDEX);
        Files.deleteIfExists(index); // deleted before the files that the index lists
        List<String> written = new ArrayList<>();
        for (int i = 0; i < shards.size(); i++) {
            Safetensors shard = shards.get(i);
            String name =
                    MODEL + (shards.size() == 1 ? "" : String.format("-%05d-of-%05d", i + 1, shards.size())) + TENSORS;
            written.add(name);
            DurableFile.write(directory.resolve(name), channel -> {
                shard.write(channel);
                return channel.position();
            });
        }
        if (shards.size() > 1) DurableFile.write(index, index(shards, written));
        for (Path old : ending(directory, TENSORS)) {
            String name = old.getFileName().toString();
            boolean isModel =
                    name.equals(MODEL + TENSORS) || SHARD.matcher(name).matches();
            if (isModel && !written.contains(name)) Files.delete(old);
        }
    }

    /// Divides a model into files. Tensors of larger types precede tensors of smaller types, so that each
    /// tensor is aligned, as Python requires.
    private static List<Safetensors> shards(Safetensors model, long maxFileBytes) {
        List<Tensor> tensors = new ArrayList<>(model.tensors());
        tensors.sort(Comparator.comparingInt((Tensor t) -> t.spec().dtype().sizeBytes())
                .reversed());
        List<Safetensors> shards = new ArrayList<>();
        List<Tensor> current = new ArrayList<>();
        long bytes = 0;
        for (Tensor t : tensors) {
            if (!current.isEmpty() && bytes + t.spec().sizeBytes() > maxFileBytes) {
                shards.add(new Safetensors(current, model.metadata()));
                current.clear();
                bytes = 0;
            }
            current.add(t);
            bytes += t.spec().sizeBytes();
        }
        shards.add(new Safetensors(current, model.metadata()));
        return shards;
    }

    private static byte[] index(List<Safetensors> shards, List<String> files) throws IOException {
        Map<String, String> places = new TreeMap<>();
        long total = 0;
        for (int i = 0; i < files.size(); i++) {
            for (Tensor t : shards.get(i).tensors()) {
                places.put(t.name(), files.get(i));
                total += t.spec().sizeBytes();
            }
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = JSON.createGenerator(out).useDefaultPrettyPrinter()) {
            json.writeStartObject();
            json.writeObjectFieldStart("metadata");
            json.writeNumberField("total_size", total);
            json.writeEndObject();
            json.writeObjectFieldStart("weight_map");
            for (Map.Entry<String, String> place : places.entrySet()) {
                json.writeStringField(place.getKey(), place.getValue());
            }
            json.writeEndObject();
            json.writeEndObject();
        }
        return out.toByteArray();
    }
}
