package org.tutti.device.survey;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.tutti.device.gpu.FakeDevices;
import org.tutti.device.gpu.FakeGpu;
import org.tutti.device.host.HostBackend;
import org.tutti.device.library.Attempt;
import org.tutti.device.spi.CollectiveLibrary;
import org.tutti.device.spi.DeviceBackend;
import org.tutti.device.spi.DeviceCommunicator;
import org.tutti.device.spi.DeviceDriver;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Tutti;

class DeviceSurveyTest {
    private static final String ID = "01020304-0506-0708-090a-0b0c0d0e0f10";

    /// A library that only reports properties.
    private record Library(
            String name,
            String deviceKind,
            List<Attempt> attempts,
            @Nullable String version) implements CollectiveLibrary {
        @Override
        public DeviceCommunicator connect(Comm comm, DeviceDriver device) {
            throw new AssertionError("connect must not be called");
        }
    }

    private static List<String> ask(DeviceBackend backend, CollectiveLibrary... libraries) {
        List<String> lines = new ArrayList<>();
        DeviceSurvey.ask(backend, List.of(libraries), new SurveyFile(lines::add));
        return lines;
    }

    @Test
    void reportsDeviceCompilerAndCollectives() {
        Library nccl = new Library("nccl", "cuda", List.of(new Attempt("libnccl.so.2", "no such\n  file")), null);
        Library rccl = new Library("rccl", "hip", List.of(new Attempt("librccl.so.1", null)), "2.18.3");
        FakeGpu gpu = new FakeGpu(false);
        List<String> lines = ask(FakeDevices.cuda(FakeDevices.driver(gpu)), nccl, rccl);
        assertThat(lines.getFirst()).isEqualTo("searched\tlibfake.so\t\t");
        assertThat(lines.get(1)).startsWith("device\tcuda:0\tFake GPU\tGPU-" + ID + "\t1048576\tsm_");
        assertThat(lines.get(1)).endsWith("\tNVIDIA driver for CUDA 12.2");
        assertThat(lines.get(2)).startsWith("opened\tcuda:0\tNVRTC 12.4 for sm_");
        assertThat(lines.subList(3, lines.size()))
                .containsExactly("searched\tlibnccl.so.2\tno such; file\t", "collectives\tnccl\t");
        assertThat(gpu.leaks()).isEmpty();
    }

    @Test
    void reportsTheErrorOfADriverWithoutDevices() {
        Library nccl = new Library("nccl", "cuda", List.of(), "2.30.7");
        List<String> lines =
                ask(FakeDevices.cuda(FakeDevices.driver(new FakeGpu(false)).fail("INIT", 34)), nccl);
        assertThat(lines).hasSize(2);
        assertThat(lines.get(1)).startsWith("searched\tcuInit(flags=0)\tCUDA_ERROR_STUB_LIBRARY (34); a stub");
    }

    @Test
    void reportsADeviceThatCannotBeOpened() {
        List<String> lines =
                ask(FakeDevices.cuda(FakeDevices.driver(new FakeGpu(false)).fail("CONTEXT_RETAIN", 46)));
        assertThat(lines.getLast()).startsWith("not-opened\tcuda:0\t").contains("CUDA_ERROR_DEVICE_UNAVAILABLE (46);");
    }

    @Test
    void reportsSearchedLocationsOfADriver() {
        assertThat(ask(FakeDevices.withoutDriver()))
                .containsExactly(
                        "searched\tlibcuda.so.1\tnot found\t",
                        "searched\tcuda\tno NVIDIA driver on this host; in a container, start it with NVIDIA's runtime"
                                + " (--gpus all)\t");
    }

    @Test
    void reportsTheDeviceOfEachRank() {
        List<String> lines = new ArrayList<>();
        System.setProperty("tutti.device", "host");
        try {
            Tutti.local(2, mpi -> RankSurvey.ask(mpi.world(), new SurveyFile(lines::add)));
        } finally {
            System.clearProperty("tutti.device");
        }
        String host = ask(new HostBackend()).getFirst().split("\t")[2];
        assertThat(lines.subList(0, 2)).allMatch(line -> line.contains("\thost:0\t" + host + "\thost-"));
        assertThat(lines.get(1)).startsWith("rank\t1\t");
    }
}
