package org.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.launch.UsageException;

class AdapterTest {
    @Test
    void torchWithCudaIsThatOfTheCpuWhereThereIsNoDriver() {
        assertThat(Adapter.chosen(List.of("torch-cuda"), true)).containsExactly(Adapter.TORCH_CUDA);
        PrintStream err = System.err;
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        System.setErr(new PrintStream(output, true));
        try {
            assertThat(Adapter.chosen(List.of("torch-cuda"), false)).containsExactly(Adapter.TORCH);
        } finally {
            System.setErr(err);
        }
        assertThat(output.toString().strip())
                .isEqualTo(
                        "tutti: --with torch-cuda: this machine has no NVIDIA driver (/proc/driver/nvidia/version),"
                                + " so torch for the CPU is used; TUTTI_TORCH_CUDA=1 selects torch-cuda, for ranks on other machines");
    }

    @Test
    void oneLibtorchIsEnough() {
        assertThatThrownBy(() -> Adapter.chosen(List.of("torch", "torch-cuda"), true))
                .isInstanceOf(UsageException.class)
                .hasMessage("--with torch --with torch-cuda: each contains a separate libtorch; give one");
    }
}
