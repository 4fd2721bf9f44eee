package org.tutti.device.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.device.Device;
import org.tutti.device.DeviceBuffer;
import org.tutti.device.Dim;
import org.tutti.device.gpu.RealCompiler;
import org.tutti.device.info.DeviceAttributes;
import org.tutti.job.signal.SignalGuard;

/// Tests that Java works as before after device libraries have been initialized. Each test starts a separate
/// JVM, because a library is initialized only once per process.
class JvmSignalsTest {
    private static final int DIVISIONS = 300_000, WITHOUT_ZERO = 200_000;

    @TempDir
    Path cache;

    /// Returns the output of [#main] in a JVM with this option.
    private List<String> output(String option, String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add(option);
        command.addAll(List.of("-cp", RealCompiler.classPath(), JvmSignalsTest.class.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("XDG_CACHE_HOME", cache.toString()); // so that kernels are compiled
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output.lines().toList();
    }

    /// Runs for several seconds, mainly in PoCL.
    @Test
    @Tag("ci")
    void handlersOfTheJvmStayAndDivisionByZeroIsAnException() throws Exception {
        List<String> output = output("--enable-native-access=ALL-UNNAMED");
        boolean hasOpenCl = output.stream().anyMatch(line -> line.startsWith("used opencl:"));
        assumeTrue(hasOpenCl || "true".equals(System.getenv("CI")), "skipped, because OpenCL is missing");
        assertThat(hasOpenCl).as("%s", output).isTrue();
        assertThat(output).contains("the host asked for no OpenCL", "lost [], divided by zero 0 times");
    }

    @Test
    void whereNoLibraryMayBeCalledTheHostIsSeen() throws Exception {
        assertThat(output("--illegal-native-access=deny", "denied")).containsExactly("sees host:0");
    }

    static void main(String[] args) throws IOException {
        if (args.length > 0) {
            Device.get("host").close();
            for (DeviceAttributes each : Device.all()) System.out.println("sees " + each.id());
            return;
        }
        SignalGuard guard = SignalGuard.save(Loader::sigaction);
        use("host:0");
        boolean isOpenClThere = Files.readString(Path.of("/proc/self/maps")).contains("libOpenCL");
        if (!isOpenClThere) System.out.println("the host asked for no OpenCL");
        for (DeviceAttributes each : Device.all()) use(each.id());
        int numbers = 0;
        for (int i = 0; i < DIVISIONS; i++) {
            int divisor = i < WITHOUT_ZERO || i % 3 > 0 ? 7 : 0;
            try {
                if (quotient(i, divisor) >= 0 && divisor == 0) numbers++;
            } catch (ArithmeticException e) {
                assertThat(divisor).isZero();
            }
        }
        System.out.println("lost " + guard.lost() + ", divided by zero " + numbers + " times");
    }

    private static int quotient(int dividend, int divisor) {
        return dividend / divisor;
    }

    private static void use(String id) {
        try (Device device = Device.get(id)) {
            DeviceBuffer x = device.of(1, 2);
            device.kernel(
                            "negate",
                            "extern \"C\" __global__ void negate(int* x) { x[threadIdx.x] *= -1; }",
                            (thread, a) -> a.set(0, thread.x(), -a.getInt(0, thread.x())))
                    .launch(Dim.of(1), Dim.of(2), x);
            assertThat(x.toInts()).containsExactly(-1, -2);
            System.out.println("used " + id);
        }
    }
}
