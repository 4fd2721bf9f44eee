package org.tutti.device.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.device.Device;
import org.tutti.device.DeviceBuffer;
import org.tutti.device.Dim;
import org.tutti.device.gpu.RealCompiler;
import org.tutti.device.spi.DeviceAttributes;
import org.tutti.job.SignalGuard;

/// Java works as before when libraries of devices have begun: in a JVM of its own, for they begin once.
public class JvmSignalsTest {
    private static final int DIVISIONS = 300_000, WITHOUT_ZERO = 200_000;

    @Test
    void handlersOfTheJvmStayAndDivisionByZeroIsAnException() throws Exception {
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        RealCompiler.classPath(),
                        JvmSignalsTest.class.getName()))
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        assertThat(said.lines()).contains("lost [], divided by zero 0 times");
    }

    public static void main(String[] args) {
        SignalGuard guard = SignalGuard.save(Loader::sigaction);
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
        }
    }
}
