package org.tutti.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.TestAbortedException;
import org.tutti.device.gpu.RealCompiler;
import org.tutti.device.source.KernelSignature;
import org.tutti.device.source.KernelSource;
import org.tutti.mpi.Datatype;

/// Compiles every kernel of this module, of training and of the examples with the users' compilers, which need
/// no device.
class ShippedKernelsTest {
    private static final List<Datatype> TYPES = List.of(Datatype.FLOAT, Datatype.DOUBLE, Datatype.INT, Datatype.LONG);
    private static final byte[] ELF = {0x7f, 'E', 'L', 'F'};

    private static final Pattern TEXT_BLOCK = Pattern.compile("\"\"\"\\n(.*?)\"\"\"", Pattern.DOTALL);

    /// Returns the kernels of the examples, one source per kernel.
    private static List<String> examples() {
        List<String> sources = new ArrayList<>();
        try (Stream<Path> files = Files.list(Path.of("../..", "examples"))) {
            for (Path file :
                    files.filter(one -> one.toString().endsWith(".java")).toList()) {
                sources.addAll(kernels(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        assertThat(sources).isNotEmpty();
        return sources;
    }

    private static List<String> kernels(Path file) throws IOException {
        return TEXT_BLOCK
                .matcher(Files.readString(file))
                .results()
                .map(block -> block.group(1).stripIndent())
                .filter(block -> block.contains("__global__"))
                .toList();
    }

    /// Returns the kernels of training, for each type. Reads the source file, because this module does not
    /// depend on the module that contains these kernels.
    private static List<String> training() {
        try {
            Path file =
                    Path.of("../..", "train/train-device/src/main/java/org/tutti/train/device/GradientKernels.java");
            List<String> sources = new ArrayList<>();
            for (String source : kernels(file)) {
                for (String type : List.of("float", "double")) sources.add(source.replace("REAL", type));
            }
            assertThat(sources).hasSize(2);
            return sources;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Returns the kernels for arrays and for packing of derived types, for each type, and the kernels of
    /// training.
    private static List<String> arrays() {
        List<String> sources = new ArrayList<>();
        for (Datatype unit : new Datatype[] {Datatype.BYTE, Datatype.SHORT, Datatype.INT, Datatype.LONG}) {
            sources.add(RunPacker.source(unit));
        }
        for (Datatype type : TYPES) {
            boolean floating = type == Datatype.FLOAT || type == Datatype.DOUBLE;
            for (ArraySource.Part part : ArraySource.Part.values()) {
                if (floating || part != ArraySource.Part.RANDOM) sources.add(ArraySource.of(part, type));
            }
        }
        sources.addAll(training());
        return sources;
    }

    private static String text(byte[] binary) {
        return new String(binary, StandardCharsets.ISO_8859_1);
    }

    private static void allIn(byte[] binary, String source) {
        for (KernelSignature kernel : KernelSource.of(source).kernels()) {
            assertThat(text(binary)).contains(kernel.name());
        }
    }

    @Test
    void nvrtcCompilesThem() {
        nvrtc(arrays(), "sm_90");
    }

    @Tag("full")
    @ParameterizedTest
    @ValueSource(strings = {"sm_75", "sm_80", "sm_86", "sm_89", "sm_100", "sm_120"})
    void nvrtcCompilesForOtherArchitectures(String architecture) {
        nvrtc(arrays(), architecture);
    }

    @Test
    void nvrtcCompilesThoseOfTheExamples() {
        nvrtc(examples(), "sm_90");
    }

    private static void nvrtc(List<String> sources, String architecture) {
        List<byte[]> binaries = RealCompiler.compile("cuda", sources, architecture);
        for (int i = 0; i < sources.size(); i++) {
            byte[] binary = binaries.get(i);
            // a compiler older than the architecture creates code that the driver compiles
            if (binary[0] == ELF[0]) assertThat(binary).startsWith(ELF);
            else assertThat(text(binary)).contains(".version", ".target sm_").endsWith("\0");
            allIn(binary, sources.get(i));
        }
    }

    @Test
    @Tag("full")
    void hiprtcCompilesThem() {
        hiprtc(arrays(), "gfx90a");
    }

    @Tag("full")
    @ParameterizedTest
    @ValueSource(strings = {"gfx906", "gfx908", "gfx1030"})
    void hiprtcCompilesForOtherArchitectures(String architecture) {
        hiprtc(arrays(), architecture);
    }

    @Test
    @Tag("ci")
    void hiprtcCompilesThoseOfTheExamples() {
        hiprtc(examples(), "gfx90a");
    }

    private static void hiprtc(List<String> sources, String architecture) {
        List<byte[]> binaries = RealCompiler.compile("hip", sources, architecture, "--offload-arch=" + architecture);
        for (int i = 0; i < sources.size(); i++) allIn(binaries.get(i), sources.get(i));
    }

    private static final String WRONG = "\n\nextern \"C\" __global__ void k() { oops; }";

    /// Returns the compiler's failure; skips the test without a compiler.
    private static Throwable wrong(String kind, String architecture, String... options) {
        Throwable thrown = catchThrowable(() -> RealCompiler.compile(kind, List.of(WRONG), architecture, options));
        if (thrown instanceof TestAbortedException skipped) throw skipped;
        return thrown;
    }

    @Test
    void nvrtcReportsTheInvalidLine() {
        assertThat(wrong("cuda", "sm_75"))
                .hasMessageStartingWith(
                        "COMPILE: " + KernelSource.FILE + "(3): error: identifier \"oops\" is undefined");
    }

    @Test
    void hiprtcReportsTheInvalidLine() {
        assertThat(wrong("hip", "gfx906", "--offload-arch=gfx906"))
                .hasMessageStartingWith("COMPILE: " + KernelSource.FILE + ":3:")
                .hasMessageContaining("error: use of undeclared identifier 'oops'");
    }

    @Test
    void nvrtcTakesDefinitions() {
        String source = "extern \"C\" __global__ void k(int* a) { a[0] = VALUE; }";
        assertThat(RealCompiler.compile("cuda", List.of(source), "sm_75", "-D VALUE=3"))
                .hasSize(1);
    }

    @Test
    void hiprtcTakesDefinitions() {
        String source = "extern \"C\" __global__ void k(int* a) { a[0] = VALUE; }";
        assertThat(RealCompiler.compile("hip", List.of(source), "gfx906", "--offload-arch=gfx906", "-D VALUE=3"))
                .hasSize(1);
    }
}
