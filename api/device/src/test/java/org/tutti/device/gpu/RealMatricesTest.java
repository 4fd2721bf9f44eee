package org.tutti.device.gpu;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.tutti.device.cuda.CudaPlatform;
import org.tutti.device.library.DynamicLibrary;
import org.tutti.device.table.FunctionTable;

/// The real cuBLAS without a device: all functions exist, and initialization fails with an error.
class RealMatricesTest {
    @Test
    void hasTheFunctionsAndReportsTheMissingDevice() {
        GpuPlatform platform = new CudaPlatform();
        MatrixApi api = MatrixApi.load(platform, DynamicLibrary::find);
        FunctionTable<MatrixFunction> table = api.table();
        assumeTrue(table != null, "skipped, because of " + api.text());
        if (table == null) return;
        assumeTrue(!Files.exists(Path.of("/dev/nvidiactl")), "skipped, because this machine has a device");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG);
            int code = table.call(MatrixFunction.CREATE, out.address());
            assertThat(platform.matrixError(code)).isEqualTo("CUBLAS_STATUS_NOT_INITIALIZED (1)");
            assertThat(platform.matrixError(table.call(MatrixFunction.DESTROY, 0)))
                    .isIn("error 0", "CUBLAS_STATUS_NOT_INITIALIZED (1)");
        }
    }
}
