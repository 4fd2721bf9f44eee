package org.tutti.device.hip;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The GPUs listed by the kernel driver, one directory per GPU:
///
///     gfx_target_version 90010      major * 10000 + minor * 100 + stepping
///     location_id 16640             bus << 8 | device << 3 | function
///     domain 0
final class KfdTopology {
    /// Matches values that fit into a `long`. Unique IDs are longer, but are not needed.
    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

    private final Path nodes;

    KfdTopology(Path nodes) {
        this.nodes = nodes;
    }

    /// Returns the architecture, for example `gfx90a`, of the device at `0000:41:00.0`; null if the device is
    /// not listed.
    @Nullable
    String architecture(String pciId) {
        try (Stream<Path> all = Files.list(nodes)) {
            return all.map(KfdTopology::properties)
                    .filter(node -> pciId.equalsIgnoreCase(pciId(node)))
                    .map(KfdTopology::architecture)
                    .findFirst()
                    .orElse(null);
        } catch (IOException | UncheckedIOException e) {
            return null;
        }
    }

    private static Map<String, Long> properties(Path node) {
        Map<String, Long> properties = new HashMap<>();
        try {
            for (String line : Files.readAllLines(node.resolve("properties"))) {
                List<String> fields = List.of(line.strip().split(" "));
                boolean isNumber =
                        fields.size() == 2 && NUMBER.matcher(fields.getLast()).matches();
                if (isNumber) properties.put(fields.getFirst(), Long.parseLong(fields.getLast()));
            }
        } catch (IOException e) {
            return Map.of(); // a node hidden from this container
        }
        return properties;
    }

    private static String pciId(Map<String, Long> node) {
        long location = node.getOrDefault("location_id", 0L);
        return "%04x:%02x:%02x.%x"
                .formatted(node.getOrDefault("domain", 0L), location >> 8 & 0xff, location >> 3 & 0x1f, location & 7);
    }

    private static String architecture(Map<String, Long> node) {
        long version = node.getOrDefault("gfx_target_version", 0L);
        return "gfx" + version / 10_000 + Long.toHexString(version / 100 % 100) + Long.toHexString(version % 100);
    }
}
