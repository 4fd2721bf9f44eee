package org.tutti.device.nccl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.tutti.device.library.DynamicLibrary;
import org.tutti.device.library.LibrarySearch;
import org.tutti.device.table.FunctionTable;

/// The real NCCL without a device: creates ids, accepts an id by value, and reports the missing device.
class RealNcclTest {
    @Test
    void makesIdsAndTakesThem() {
        DynamicLibrary library =
                DynamicLibrary.find(new LibrarySearch("tutti.device.lib.nccl", List.of("libnccl.so.2")));
        @Nullable SymbolLookup symbols = library.symbols();
        assumeTrue(symbols != null, "skipped, because it is not installed: " + library.attempts());
        if (symbols == null) return;
        NcclApi api = new NcclApi("NCCL", "libnccl.so.2", symbols);
        assertThat(api.toString()).matches("NCCL 2\\.\\d+\\.\\d+");
        byte[] first = api.uniqueId(), second = api.uniqueId();
        assertThat(first).hasSize(FunctionTable.UNIQUE_ID_BYTES).isNotEqualTo(second);
        assumeTrue(!Files.exists(Path.of("/dev/nvidiactl")), "skipped, because this machine has a device");
        assertThatThrownBy(() -> api.init(1, first, 0))
                .hasMessageStartingWith("ncclCommInitRankConfig: ncclUnhandledCudaError (1); ");
    }
}
