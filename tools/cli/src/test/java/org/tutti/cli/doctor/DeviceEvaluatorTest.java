package org.tutti.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Evaluates synthetic surveys in the format of tutti-device.
class DeviceEvaluatorTest {
    private static final String H100 =
            "device\tcuda:0\tNVIDIA H100\tGPU-1\t85520809984\tsm_90\t0000:4F:00.0\t132\tNVIDIA driver for CUDA 12.2";

    @TempDir
    Path root;

    private void file(String name, String text) throws IOException {
        Path file = root.resolve(name.substring(1));
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private void card(String pciId, String vendor, String type) throws IOException {
        file("/sys/bus/pci/devices/" + pciId + "/vendor", vendor + "\n");
        file("/sys/bus/pci/devices/" + pciId + "/class", type + "\n");
    }

    private List<Finding> evaluate(String kind, Map<String, String> env, String... lines) {
        CheckResults notes = new CheckResults();
        DeviceEvaluator.evaluate(
                new ExaminedMachine(env, root, root, 1), kind, DeviceAnswers.parse(List.of(lines), ""), notes);
        return notes.findings();
    }

    private static List<Finding> bad(List<Finding> findings) {
        return findings.stream().filter(one -> one.grade() != Grade.OK).toList();
    }

    private static List<String> texts(List<Finding> findings) {
        return findings.stream().map(Finding::text).toList();
    }

    @Test
    void reportsLocationCompilerAndCollectivesOfADevice() throws IOException {
        file("/sys/bus/pci/devices/0000:4f:00.0/numa_node", "1\n");
        List<Finding> findings = evaluate(
                "cuda",
                Map.of(),
                "searched\tlibcuda.so.1\t\t/usr/lib/libcuda.so.535.261",
                H100,
                "opened\tcuda:0\tNVRTC 12.2 for sm_90 (NVIDIA H100)",
                "searched\tlibnccl.so.2\tlibnccl.so.2: cannot open shared object file: No such file or directory\t",
                "searched\t/opt/nccl/lib/libnccl.so.2\t\t/opt/nccl/lib/libnccl.so.2.30.7",
                "collectives\tnccl\t2.30.7");
        assertThat(bad(findings)).isEmpty();
        assertThat(texts(findings))
                .containsExactly(
                        "libcuda.so.1 is /usr/lib/libcuda.so.535.261",
                        "libnccl.so.2: cannot open shared object file: No such file or directory",
                        "/opt/nccl/lib/libnccl.so.2 is /opt/nccl/lib/libnccl.so.2.30.7",
                        "cuda:0 is NVIDIA H100, UUID GPU-1, 81559 MiB, 132 multiprocessors, sm_90, PCI 0000:4F:00.0,"
                                + " NUMA node 1; NVIDIA driver for CUDA 12.2",
                        "cuda:0 runs kernels of NVRTC 12.2 for sm_90 (NVIDIA H100)",
                        "NCCL 2.30.7");
    }

    @Test
    void aDriverThatIsOlderThanTheCompilerIsNamed() {
        Finding finding = bad(evaluate("cuda", Map.of(), H100, "opened\tcuda:0\tNVRTC 13.0 for sm_90 (NVIDIA H100)"))
                .getFirst();
        assertThat(finding.grade()).isEqualTo(Grade.WARN);
        assertThat(finding.text()).startsWith("the driver supports CUDA 12.2, NVRTC is 13.0: the driver rejects");
        assertThat(finding.remedy()).startsWith("install a newer driver; or the NVRTC of CUDA 12.2");
    }

    @Test
    void aDeviceThatCannotBeOpenedIsNamed() {
        Finding finding = bad(evaluate(
                        "cuda", Map.of(), H100, "not-opened\tcuda:0\tCUDA_ERROR_DEVICE_UNAVAILABLE (46); look there"))
                .getFirst();
        assertThat(finding)
                .isEqualTo(new Finding(
                        Grade.WARN, "cuda:0 cannot be used: CUDA_ERROR_DEVICE_UNAVAILABLE (46)", "look there"));
    }

    @Test
    void aStubInPlaceOfTheDriverFails() {
        Finding finding = bad(evaluate(
                        "cuda",
                        Map.of(),
                        "searched\tlibcuda.so.1\t\t/usr/local/cuda/lib64/stubs/libcuda.so",
                        "searched\tcuInit(flags=0)\tCUDA_ERROR_STUB_LIBRARY (34); a stub is in the place of the driver\t"))
                .getFirst();
        assertThat(finding)
                .isEqualTo(new Finding(
                        Grade.FAILS,
                        "cuInit(flags=0): CUDA_ERROR_STUB_LIBRARY (34)",
                        "a stub is in the place of the driver"));
    }

    @Test
    void anOpenClLoaderWithoutADriverNamesThePackage() {
        Finding finding = bad(evaluate(
                        "opencl",
                        Map.of(),
                        "searched\tlibOpenCL.so.1\t\t/usr/lib/libOpenCL.so.1.0.0",
                        "searched\tclGetPlatformIDs\tCL_PLATFORM_NOT_FOUND_KHR (-1001): no driver is registered; install"
                                + " one, for example pocl-opencl-icd\t"))
                .getFirst();
        assertThat(finding.text()).endsWith("CL_PLATFORM_NOT_FOUND_KHR (-1001): no driver is registered");
        assertThat(finding.remedy()).isEqualTo("install one, for example pocl-opencl-icd");
    }

    @Test
    void aLibraryThatIsNotThereIsNoFaultAndOneThatDoesNotLoadIs() throws IOException {
        String absent =
                "searched\tlibcuda.so.1\tlibcuda.so.1: cannot open shared object file: No such file or directory\t";
        String advice = "searched\tcuda\tno NVIDIA driver on this host; in a container, use its run time\t";
        assertThat(bad(evaluate("cuda", Map.of(), absent, advice))).isEmpty();
        assertThat(bad(evaluate(
                        "cuda", Map.of(), "searched\tlibcuda.so.1\tlibcuda.so.1: invalid ELF header\t", advice)))
                .extracting(Finding::text)
                .containsExactly("libcuda.so.1: invalid ELF header");
        card("0000:4f:00.0", "0x10de", "0x030200");
        assertThat(bad(evaluate("cuda", Map.of(), absent, advice)))
                .containsExactly(new Finding(
                        Grade.WARN,
                        "no NVIDIA driver on this host, but a card at 0000:4f:00.0",
                        "install it; in a container, use its run time"));
    }

    @Test
    void reportsMasksWithHiddenDevices() throws IOException {
        card("0000:4f:00.0", "0x10de", "0x030200");
        card("0000:50:00.0", "0x10de", "0x030200");
        card("0000:50:00.1", "0x10de", "0x040300"); // the audio function
        card("0000:60:00.0", "0x1002", "0x030000");
        Map<String, String> one = Map.of("CUDA_VISIBLE_DEVICES", "0");
        assertThat(texts(evaluate("cuda", one, H100)))
                .contains("CUDA_VISIBLE_DEVICES=0: 1 device is seen, the machine has 2 cards");
        assertThat(bad(evaluate("cuda", Map.of("CUDA_VISIBLE_DEVICES", ""))))
                .containsExactly(new Finding(
                        Grade.WARN,
                        "CUDA_VISIBLE_DEVICES=: 0 devices are seen, the machine has 2 cards",
                        "unset CUDA_VISIBLE_DEVICES to see all"));
        Map<String, String> hip = Map.of("ROCR_VISIBLE_DEVICES", "7", "HIP_VISIBLE_DEVICES", "0");
        assertThat(texts(bad(evaluate("hip", hip))))
                .containsExactly(
                        "ROCR_VISIBLE_DEVICES=7: 0 devices are seen, the machine has 1 card",
                        "HIP_VISIBLE_DEVICES=0: 0 devices are seen, the machine has 1 card");
    }

    @Test
    void aLibraryThatCrashesItsProcessFails() {
        CheckResults notes = new CheckResults();
        String end = "the process that searched for devices ended with exit code 134: # SIGSEGV";
        DeviceEvaluator.evaluate(
                new ExaminedMachine(Map.of(), root, root, 1), "opencl", DeviceAnswers.parse(List.of(), end), notes);
        assertThat(notes.findings()).hasSize(1);
        assertThat(notes.findings().getFirst().grade()).isEqualTo(Grade.FAILS);
        assertThat(notes.findings().getFirst().text()).isEqualTo(end);
    }

    private static Finding choice(String setting, Map<String, Integer> counts) {
        CheckResults notes = new CheckResults();
        DeviceExamination.evaluateChoice(setting, counts, notes);
        return notes.findings().getFirst();
    }

    @Test
    void theChoiceIsThatOfForRank() {
        Map<String, Integer> both = Map.of("cuda", 2, "opencl", 1, "host", 1), none = Map.of("host", 1);
        assertThat(choice(null, both).text())
                .isEqualTo(
                        "Device.forRank selects one of the 2 devices of kind cuda; 1 of other kinds is" + " not used");
        assertThat(choice(" ", none).text())
                .isEqualTo("Device.forRank selects the host, because there is no other device");
        assertThat(choice("host", both).text())
                .isEqualTo("TUTTI_DEVICE=host: Device.forRank selects the host; 3 of other kinds are not used");
        assertThat(choice("hip", both))
                .isEqualTo(new Finding(
                        Grade.FAILS,
                        "TUTTI_DEVICE=hip requires a device of the kind hip, but none was found: Device.forRank throws"
                                + " on every rank",
                        "unset TUTTI_DEVICE; or see the reason above"));
        assertThat(choice("any", none).grade()).isEqualTo(Grade.FAILS);
        assertThat(choice("gpu", both).remedy()).isEqualTo("use cuda, hip, opencl, host or any");
    }

    private static List<Finding> ranks(String end, String... lines) {
        CheckResults notes = new CheckResults();
        DeviceExamination.evaluateRanks(DeviceAnswers.parse(List.of(lines), end), notes);
        return notes.findings();
    }

    @Test
    void ranksThatShareAGpuAreNamed() {
        List<Finding> findings = ranks(
                "",
                "rank\t0\tnode7\tcuda:0\tNVIDIA H100\tGPU-1",
                "rank\t1\tnode7\tcuda:1\tNVIDIA H100\tGPU-2",
                "rank\t2\tnode7\tcuda:0\tNVIDIA H100\tGPU-1");
        assertThat(findings.getFirst().text()).isEqualTo("rank 0 on node7: cuda:0, NVIDIA H100, UUID GPU-1");
        assertThat(texts(bad(findings)))
                .containsExactly("ranks 0 and 2 share cuda:0 (GPU-1): each gets a part of the memory and time, and NCCL"
                        + " takes one rank for each device");
        assertThat(bad(ranks("", "rank\t0\ta\thost:0\tJava\thost-1", "rank\t1\ta\thost:0\tJava\thost-1")))
                .isEmpty();
    }

    @Test
    void aJobWithoutDevicesFailsWithItsReason() {
        assertThat(texts(bad(ranks("", "no-ranks\tTUTTI_DEVICE=cuda requires a device"))))
                .containsExactly("TUTTI_DEVICE=cuda requires a device");
        assertThat(texts(bad(ranks("the job ended with exit code 1: x"))))
                .containsExactly("the job ended with exit code 1: x");
    }
}
