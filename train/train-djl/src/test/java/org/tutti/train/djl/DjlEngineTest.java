package org.tutti.train.djl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DjlEngineTest {
    /// Starts the engine, in a separate JVM.
    public static final class Starts {
        private Starts() {}

        public static void main(String[] args) {
            SingleRank.run(group -> System.out.println("started"));
        }
    }

    private static String start(Path cache, String without) throws Exception {
        String path = Stream.of(
                        System.getProperty("jdk.module.path", ""), System.getProperty("surefire.test.class.path", ""))
                .flatMap(all -> Stream.of(all.split(File.pathSeparator)))
                .filter(entry -> !entry.contains(without))
                .collect(Collectors.joining(File.pathSeparator));
        Path out = cache.resolve("out");
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-DDJL_CACHE_DIR=" + cache,
                        "-cp",
                        path,
                        Starts.class.getName()))
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        if (!process.waitFor(600, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("it does not end: " + Files.readString(out));
        }
        return Files.readString(out, StandardCharsets.UTF_8);
    }

    @Test
    void aMissingNativeLibraryIsNotDownloadedButNamed(@TempDir Path cache) throws Exception {
        assertThat(start(cache, "pytorch-native-cpu"))
                .contains("org.tutti.train.TrainingException: DJL's PyTorch engine does not start: ")
                .contains("<artifactId>pytorch-native-cpu</artifactId>")
                .contains("<version>2.7.1</version>")
                .contains("<classifier>"
                        + DjlEngine.classifier(System.getProperty("os.name"), System.getProperty("os.arch")))
                .doesNotContain("started");
    }

    @Test
    void aMissingEngineIsNamed(@TempDir Path cache) throws Exception {
        assertThat(start(cache, "pytorch-jni"))
                .contains("<artifactId>pytorch-jni</artifactId>")
                .contains("<version>2.7.1-0.35.1</version>");
    }

    @Test
    void machinesHaveDjlsNames() {
        assertThat(DjlEngine.classifier("Linux", "amd64")).isEqualTo("linux-x86_64");
        assertThat(DjlEngine.classifier("Linux", "aarch64")).isEqualTo("linux-aarch64");
        assertThat(DjlEngine.classifier("Mac OS X", "aarch64")).isEqualTo("osx-aarch64");
        assertThat(DjlEngine.classifier("Windows 11", "amd64")).isEqualTo("win-x86_64");
    }
}
