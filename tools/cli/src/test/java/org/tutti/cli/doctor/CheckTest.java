package org.tutti.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.launch.machine.CommandOutput;

/// Runs the checks on synthetic machines, which consist of files.
class CheckTest {
    @TempDir
    Path root;

    private void file(String name, String text) throws IOException {
        Path file = root.resolve(name.substring(1));
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private List<Finding> run(DoctorCheck check, Map<String, String> env, int ranks) {
        CheckResults notes = new CheckResults();
        check.run(new ExaminedMachine(env, root, root, ranks), notes);
        return notes.findings();
    }

    private static Finding bad(List<Finding> findings) {
        List<Finding> bad =
                findings.stream().filter(finding -> finding.grade() != Grade.OK).toList();
        assertThat(bad).as("%s", findings).hasSize(1);
        assertThat(bad.getFirst().remedy()).isNotBlank();
        return bad.getFirst();
    }

    private void machine(String allowed) throws IOException {
        file("/proc/meminfo", "MemTotal:       16777216 kB\nMemFree:  1 kB\nMemAvailable:    8388608 kB\n");
        file("/sys/devices/system/cpu/online", "0-7\n");
        file("/proc/self/status", "Name:\tjava\nCpus_allowed_list:\t" + allowed + "\n");
    }

    @Test
    void namesTheCpusThatAreLeft() throws IOException {
        machine("2,5");
        Finding finding = bad(run(new MachineCheck(), Map.of(), 1));
        assertThat(finding.text()).startsWith("this process may run on 2 of 8 cpus (2,5)");
        assertThat(finding.remedy()).startsWith("start tutti without taskset");
    }

    @Test
    void aMachineThatIsAllOursIsFine() throws IOException {
        machine("0-7");
        assertThat(run(new MachineCheck(), Map.of(), 1)).allMatch(finding -> finding.grade() == Grade.OK);
        assertThat(run(new MachineCheck(), Map.of(), 4))
                .extracting(Finding::text)
                .contains("16384 MiB of memory, 8192 MiB of it free; a rank of 4 gets a heap of up to 2048 MiB");
    }

    @Test
    void controlGroupsOfVersion2LimitTime() throws IOException {
        machine("0-7");
        file("/proc/self/cgroup", "0::/user/job\n");
        file("/sys/fs/cgroup/user/cpu.max", "50000 100000\n");
        file("/sys/fs/cgroup/user/job/cpu.max", "max 100000\n");
        Finding finding = bad(run(new MachineCheck(), Map.of(), 1));
        assertThat(finding.text()).startsWith("the control group allows 0.50 cpus' time (/sys/fs/cgroup/user)");
        assertThat(finding.remedy()).contains("docker run --cpus");
    }

    @Test
    void controlGroupsOfVersion2LimitMemory() throws IOException {
        machine("0-7");
        file("/proc/self/cgroup", "0::/\n");
        file("/sys/fs/cgroup/memory.max", "1073741824\n");
        Finding finding = bad(run(new MachineCheck(), Map.of(), 8));
        assertThat(finding.text())
                .contains("1024 MiB for this control group (/sys/fs/cgroup/memory.max)")
                .endsWith("a rank of 8 gets a heap of up to 64 MiB");
    }

    @Test
    void controlGroupsOfVersion1LimitBoth() throws IOException {
        machine("0-7");
        file("/proc/self/cgroup", "5:memory:/docker/x\n4:cpu,cpuacct:/docker/x\n1:name=systemd:/\n");
        file("/sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_quota_us", "150000\n");
        file("/sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_period_us", "100000\n");
        file("/sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes", "4294967296\n");
        ControlGroup group = ControlGroup.of(new ExaminedMachine(Map.of(), root, root, 1));
        assertThat(group.cpus()).isEqualTo(1.5);
        assertThat(group.memoryBytes()).isEqualTo(4L << 30);
    }

    private void limits(String files, String locked, String space) throws IOException {
        file("/proc/self/limits", """
                Limit                     Soft Limit           Hard Limit           Units
                Max stack size            8388608              unlimited            bytes
                Max core file size        0                    unlimited            bytes
                Max processes             96365                96365                processes
                Max open files            %-20s 20000                files
                Max locked memory         %-20s 8388608              bytes
                Max address space         %-20s unlimited            bytes
                """.formatted(files, locked, space));
    }

    @Test
    void limitsThatAreEnoughAreOneLine() throws IOException {
        limits("20000", "8388608", "unlimited");
        List<Finding> findings = run(new LimitsCheck(), Map.of(), 4);
        assertThat(findings).hasSize(1);
        assertThat(findings.getFirst().text()).startsWith("open files 20000, processes 96365");
    }

    @Test
    void tooFewOpenFilesFail() throws IOException {
        limits("256", "8388608", "unlimited");
        Finding finding = run(new LimitsCheck(), Map.of(), 64).getFirst();
        assertThat(finding)
                .isEqualTo(new Finding(
                        Grade.FAILS,
                        "open files: 256, and 64 ranks with their launcher need 640",
                        "ulimit -n 4096; permanently in /etc/security/limits.conf, or LimitNOFILE= of the service"));
    }

    @Test
    void lockedMemoryCountsOnlyWithAnRdmaCard() throws IOException {
        limits("20000", "65536", "unlimited");
        assertThat(run(new LimitsCheck(), Map.of(), 4)).allMatch(finding -> finding.grade() == Grade.OK);
        file("/sys/class/infiniband/mlx5_0", "");
        assertThat(bad(run(new LimitsCheck(), Map.of(), 4)).text()).startsWith("locked memory: 64 KiB");
    }

    @Test
    void limitsOfAddressSpaceAndOvercommitAreNamed() throws IOException {
        limits("20000", "65536", "1073741824");
        assertThat(bad(run(new LimitsCheck(), Map.of(), 4)).text()).startsWith("address space: 1024 MiB");
        limits("20000", "65536", "unlimited");
        file("/proc/sys/vm/overcommit_memory", "2\n");
        assertThat(bad(run(new LimitsCheck(), Map.of(), 4)).remedy()).startsWith("sysctl vm.overcommit_memory=0");
    }

    @Test
    void aDebuggersPortForAllFails() {
        String options = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=*:5005";
        Finding finding = bad(run(new JvmCheck(), Map.of("JAVA_TOOL_OPTIONS", options), 4));
        assertThat(finding.grade()).isEqualTo(Grade.FAILS);
        assertThat(finding.text()).contains("every JVM opens port 5005");
        assertThat(finding.remedy()).startsWith("unset JAVA_TOOL_OPTIONS");
    }

    @Test
    void optionsForEveryJvmAreNamed() {
        Finding finding = bad(run(new JvmCheck(), Map.of("_JAVA_OPTIONS", "-Xmx64g"), 4));
        assertThat(finding.grade()).isEqualTo(Grade.WARN);
        assertThat(finding.text()).contains("with priority over --jvm").contains("each rank gets that heap");
    }

    @Test
    void staleVariablesOfALauncherFail() {
        Finding finding = bad(run(new LauncherCheck(), Map.of("RANK", "3", "WORLD_SIZE", "8"), 4));
        assertThat(finding.grade()).isEqualTo(Grade.FAILS);
        assertThat(finding.text()).startsWith("a program started here exits immediately: RANK=3, WORLD_SIZE=8");
        assertThat(finding.remedy()).startsWith("unset RANK and WORLD_SIZE");
        Map<String, String> both =
                Map.of("OMPI_COMM_WORLD_RANK", "1", "OMPI_COMM_WORLD_SIZE", "2", "PMI_RANK", "0", "PMI_SIZE", "4");
        assertThat(bad(run(new LauncherCheck(), both, 4)).text()).contains("two launchers contradict each other");
        assertThat(bad(run(new LauncherCheck(), Map.of("RANK", "3"), 4)).remedy())
                .isEqualTo("unset RANK");
    }

    @Test
    void anAllocationIsNoTask() {
        Map<String, String> allocation = Map.of("SLURM_JOB_ID", "7", "SLURM_NTASKS", "4", "SLURM_JOB_NUM_NODES", "2");
        assertThat(run(new LauncherCheck(), allocation, 4))
                .extracting(Finding::text)
                .contains("an allocation of Slurm's (SLURM_JOB_ID=7, nodes: 2), outside any task: tutti run"
                        + " --engine libmpi starts ranks on the whole allocation");
    }

    private List<Finding> gpus(Libraries.Seen... seen) {
        Map<String, Libraries.Seen> all = new HashMap<>();
        for (Libraries.Seen one : seen) all.put(one.name(), one);
        CheckResults notes = new CheckResults();
        GpuCheck.evaluate(new ExaminedMachine(Map.of(), root, root, 1), all, notes);
        return notes.findings();
    }

    private static Libraries.Seen gpu(String name, String detail) {
        return new Libraries.Seen(name, true, false, "/lib/" + name, "", detail);
    }

    @Test
    void aDriverWithoutAGpuIsNamed() {
        String without = "cuInit=100 cuDriverGetVersion=12020 cuDeviceGetCount=!100";
        Finding finding = bad(gpus(gpu("libcuda.so.1", without)));
        assertThat(finding.text())
                .isEqualTo(
                        "/lib/libcuda.so.1, driver for CUDA 12.2, but no GPU can be used (cuInit returns 100, no device)");
        String with = "cuInit=0 cuDriverGetVersion=12020 cuDeviceGetCount=1";
        assertThat(gpus(gpu("libcuda.so.1", with)).getFirst().text())
                .isEqualTo("/lib/libcuda.so.1, driver for CUDA 12.2, 1 GPU");
        assertThat(bad(gpus(gpu("libcuda.so.1", "cuInit=34"))).grade()).isEqualTo(Grade.FAILS);
    }

    @Test
    void gpuLibrariesThatDoNotFitAreNamed() {
        Libraries.Seen driver = gpu("libcuda.so.1", "cuInit=0 cuDriverGetVersion=12020 cuDeviceGetCount=1");
        assertThat(bad(gpus(driver, gpu("libcudart.so", "cudaRuntimeGetVersion=13000")))
                        .text())
                .isEqualTo("the driver supports CUDA 12.2, but /lib/libcudart.so is 13.0");
        assertThat(bad(gpus(gpu("libnccl.so.2", "ncclGetVersion=23007"))).text())
                .startsWith("NCCL is installed without NVIDIA's driver");
        Libraries.Seen broken = new Libraries.Seen("librccl.so.1", false, true, "it ended", "", "");
        assertThat(bad(gpus(broken)).text()).isEqualTo("librccl.so.1: it ended");
    }

    @Test
    void aLibraryThatTakesTooLongIsUnknown() {
        String end = Libraries.end("loaded it", new CommandOutput(-1, ""));
        assertThat(end)
                .isEqualTo("the process that loaded it did not end within 30 s: it hangs, or the machine is too busy");
        assertThat(new Libraries.Seen("mpi:mpich", false, true, end, "", "").isUnknown())
                .isTrue();
        String ended = Libraries.end("loaded it", new CommandOutput(1, "no"));
        assertThat(new Libraries.Seen("mpi:mpich", false, true, ended, "", "").isUnknown())
                .isFalse();
    }

    @Test
    void libraryVersionsAreRead() {
        assertThat(GpuCheck.dotted("23007")).isEqualTo("2.30.7");
        assertThat(GpuCheck.dotted("2708")).isEqualTo("2.7.8");
        assertThat(GpuCheck.dotted("!1")).isEmpty();
    }
}
