package org.tutti.train.torch.graph.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/// The entries of an exported program of the test resources, which a test changes and writes again.
public final class EditedArchive {
    public static final String MODEL = "models/model.json", WEIGHTS = "data/weights/model_weights_config.json";

    private final String root;
    private final Map<String, byte[]> entries;

    private EditedArchive(String root, Map<String, byte[]> entries) {
        this.root = root;
        this.entries = entries;
    }

    /// @param program for example `mlp`
    public static EditedArchive of(String program) {
        Map<String, byte[]> entries = new LinkedHashMap<>();
        String root = "";
        try (ZipFile zip = new ZipFile(path(program + ".pt2").toFile())) {
            for (ZipEntry e : Collections.list(zip.entries())) {
                root = e.getName().substring(0, e.getName().indexOf('/') + 1);
                entries.put(e.getName(), zip.getInputStream(e).readAllBytes());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new EditedArchive(root, entries);
    }

    /// Returns a file of the test resources.
    static byte[] resource(String name) {
        try {
            return Files.readAllBytes(path(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path path(String name) {
        URL found = EditedArchive.class.getResource("/org/tutti/train/torch/graph/" + name);
        return Path.of(URI.create(Objects.requireNonNull(found, name).toString()));
    }

    /// Returns the contents by entry name, which includes the root folder. Changes of the map are written to
    /// the file.
    Map<String, byte[]> entries() {
        return entries;
    }

    String root() {
        return root;
    }

    String text(String entry) {
        return new String(Objects.requireNonNull(entries.get(root + entry), entry), UTF_8);
    }

    EditedArchive with(String entry, String text) {
        entries.put(root + entry, text.getBytes(UTF_8));
        return this;
    }

    /// Replaces the first occurrence of `from`.
    public EditedArchive replace(String entry, String from, String to) {
        String text = text(entry);
        int at = text.indexOf(from);
        assertThat(at).as(from).isNotNegative();
        return with(entry, text.substring(0, at) + to + text.substring(at + from.length()));
    }

    EditedArchive without(String entry) {
        assertThat(entries.remove(root + entry)).as(entry).isNotNull();
        return this;
    }

    public byte[] stored() {
        return zip(false);
    }

    byte[] deflated() {
        return zip(true);
    }

    private byte[] zip(boolean isDeflated) {
        return zip(entries, isDeflated);
    }

    static byte[] zip(Map<String, byte[]> entries, boolean isDeflated) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(out)) {
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                ZipEntry e = new ZipEntry(entry.getKey());
                if (!isDeflated) {
                    CRC32 sum = new CRC32();
                    sum.update(entry.getValue());
                    e.setMethod(ZipEntry.STORED);
                    e.setSize(entry.getValue().length);
                    e.setCrc(sum.getValue());
                }
                zip.putNextEntry(e);
                zip.write(entry.getValue());
                zip.closeEntry();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    /// Writes a new file: a mapped file must not be changed.
    public static Path write(byte[] file, Path directory) {
        try {
            return Files.write(Files.createTempFile(directory, "model", ".pt2"), file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
