package org.tutti.e2e.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Way;

/// The lists of `tutti fetch` contain the jars that the build adds for `--with`, with sizes and digests. To
/// change a version, change the root pom and these lists.
@Tag("ci")
class FetchListTest {
    @ParameterizedTest
    @ValueSource(strings = {"torch", "djl"})
    void theListHasTheJarsOfTheBuild(String library) throws Exception {
        Path jars = Checkout.build("tutti-train-" + library).resolve("lib");
        Way.need(Checkout.isPackaged() && Files.isDirectory(jars), "Tutti is not packaged; ./mvnw verify does it");
        Path list = Checkout.module("tutti-distribution").resolve("src/main/with/" + library + "/linux-x86_64.tsv");
        Map<String, String> listed = new TreeMap<>();
        for (String line : Files.readAllLines(list)) {
            String[] columns = line.split("\t"), parts = columns[0].split(":");
            listed.put(parts[1] + "-" + parts[2] + (parts.length > 3 ? "-" + parts[3] : "") + ".jar", line);
        }
        List<Path> built;
        try (Stream<Path> files = Files.list(jars)) {
            built = files.filter(f -> !f.getFileName().toString().startsWith("tutti-"))
                    .sorted()
                    .toList();
        }
        assertThat(built).isNotEmpty();
        assertThat(built).extracting(f -> f.getFileName().toString()).containsExactlyElementsOf(listed.keySet());
        for (Path jar : built) {
            String[] columns = listed.get(jar.getFileName().toString()).split("\t");
            assertThat(Files.size(jar)).as("size of %s", jar).isEqualTo(Long.parseLong(columns[1]));
            assertThat(sha256(jar)).as("digest of %s", jar).isEqualTo(columns[2]);
        }
    }

    private static String sha256(Path file) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        try (var in = Files.newInputStream(file)) {
            byte[] buffer = new byte[1 << 16];
            for (int n; (n = in.read(buffer)) >= 0; ) digest.update(buffer, 0, n);
        }
        return HexFormat.of().formatHex(digest.digest());
    }
}
