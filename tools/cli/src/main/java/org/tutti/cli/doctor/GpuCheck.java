package org.tutti.cli.doctor;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.cli.doctor.Libraries.Seen;

/// Checks the runtimes of GPUs and the libraries of collective operations.
final class GpuCheck implements DoctorCheck {
    private static final String CUDA = "libcuda.so.1", RUNTIME = "libcudart.so", HIP = "libamdhip64.so";
    static final String NCCL = "libnccl.so.2", RCCL = "librccl.so.1";

    /// Errors of CUDA that need an explanation besides the number (cuda.h).
    private static final String STUB = "34", NO_DEVICE = "100";

    /// The loader's message for a missing file; other messages are printed in full.
    private static final String NO_SUCH_FILE = "No such file or directory";

    private static final List<String> NAMES = List.of(CUDA, RUNTIME, "libnvrtc.so", NCCL, HIP, RCCL, "libOpenCL.so.1");

    @Override
    public String title() {
        return "GPUs";
    }

    @Override
    public void run(ExaminedMachine examined, CheckResults notes) {
        evaluate(examined, Libraries.probe(List.of(candidates(examined, NAMES))), notes);
    }

    /// @param seen the results of loading the libraries, by name
    static void evaluate(ExaminedMachine examined, Map<String, Seen> seen, CheckResults notes) {
        List<String> missing = new ArrayList<>();
        Seen cuda = null, nccl = null, runtime = null;
        for (String name : NAMES) {
            Seen found = best(name, examined, seen);
            if (found != null && found.broken()) {
                notes.warn(name + ": " + found.where(), "reinstall it, or remove it from LD_LIBRARY_PATH");
                continue;
            }
            if (found == null || !found.loaded()) {
                missing.add(found == null ? name + " was not checked" : reason(name, found));
                continue;
            }
            if (name.equals(CUDA)) cuda = found;
            if (name.equals(NCCL)) nccl = found;
            if (name.equals(RUNTIME)) runtime = found;
            String words = found.where() + version(found);
            if (name.equals(CUDA)) cuda(examined, words, found, notes);
            else if (name.equals(HIP)) hip(examined, words, found, notes);
            else notes.ok(words);
        }
        if (nccl != null && cuda == null) {
            notes.warn(
                    "NCCL is installed without NVIDIA's driver: programs that use it fail with an unhandled cuda error",
                    "install the driver, start the container with --gpus all, or use the backend mpi");
        }
        if (cuda != null && runtime != null) compare(cuda, runtime, notes);
        if (!missing.isEmpty()) notes.ok("not here: " + String.join("; ", missing));
    }

    /// Returns the version; NCCL's `23007` as 2.30.7 and CUDA's `13000` as 13.0.
    private static String version(Seen found) {
        String nccl = found.answer("ncclGetVersion");
        if (nccl != null) return ", " + dotted(nccl);
        String driver = found.answer("cuDriverGetVersion"), runtime = found.answer("cudaRuntimeGetVersion");
        if (driver != null && !driver.startsWith("!")) return ", driver for CUDA " + cudaVersion(driver);
        if (runtime != null && !runtime.startsWith("!")) return ", CUDA " + cudaVersion(runtime);
        return "";
    }

    /// Compares the versions of driver and runtime. A runtime with a newer major version than the driver's
    /// fails as if there were no driver (error 35).
    private static void compare(Seen cuda, Seen runtime, CheckResults notes) {
        String can = cuda.answer("cuDriverGetVersion"), wants = runtime.answer("cudaRuntimeGetVersion");
        if (can == null || wants == null || can.startsWith("!") || wants.startsWith("!")) return;
        // within a major version, a newer runtime works
        if (Integer.parseInt(wants) / 1000 <= Integer.parseInt(can) / 1000) return;
        notes.warn(
                "the driver supports CUDA " + cudaVersion(can) + ", but " + runtime.where() + " is "
                        + cudaVersion(wants),
                "install a newer driver, or a run time of CUDA " + Integer.parseInt(can) / 1000);
    }

    private static String cudaVersion(String number) {
        int version = Integer.parseInt(number);
        return version / 1000 + "." + version % 1000 / 10;
    }

    /// Returns NCCL's version number with dots. Up to 2.8, the number has one digit for the minor version,
    /// later two; the patch has two digits.
    static String dotted(String number) {
        if (number.startsWith("!")) return "";
        int version = Integer.parseInt(number);
        if (version < 10_000) return version / 1000 + "." + version / 100 % 10 + "." + version % 100;
        return version / 10_000 + "." + version / 100 % 100 + "." + version % 100;
    }

    private static void cuda(ExaminedMachine examined, String words, Seen found, CheckResults notes) {
        String init = found.answer("cuInit"), devices = found.answer("cuDeviceGetCount");
        if ("0".equals(init)) {
            notes.ok(words + ", " + devices + ("1".equals(devices) ? " GPU" : " GPUs") + visible(examined));
        } else if (STUB.equals(init)) {
            notes.fails(
                    words + " is a stub for linking, not the driver",
                    "remove the directory of stubs from LD_LIBRARY_PATH");
        } else {
            notes.warn(
                    words + ", but no GPU can be used (cuInit returns " + init
                            + (NO_DEVICE.equals(init) ? ", no device" : "") + ")" + visible(examined),
                    "check nvidia-smi and CUDA_VISIBLE_DEVICES; start a container with --gpus all");
        }
    }

    private static void hip(ExaminedMachine examined, String words, Seen found, CheckResults notes) {
        String devices = found.answer("hipGetDeviceCount");
        if (devices != null && !devices.startsWith("!")) {
            notes.ok(words + ", " + devices + " GPUs");
            return;
        }
        notes.warn(
                words + ", but no GPU can be used (hipGetDeviceCount returns " + devices + ")",
                "check rocminfo, ROCR_VISIBLE_DEVICES and HIP_VISIBLE_DEVICES; a container needs --device /dev/kfd"
                        + " --device /dev/dri");
    }

    private static String visible(ExaminedMachine examined) {
        String visible = examined.env().get("CUDA_VISIBLE_DEVICES");
        return visible == null ? "" : ", CUDA_VISIBLE_DEVICES=" + visible;
    }

    private static String reason(String name, Seen found) {
        String where = found.where();
        if (where.startsWith(name) && where.endsWith(NO_SUCH_FILE)) return name;
        return where.contains(name) ? where : name + ": " + where;
    }

    /// Returns the first candidate that loads, otherwise the candidate with the plain name.
    static @Nullable Seen best(String name, ExaminedMachine examined, Map<String, Seen> seen) {
        for (String candidate : candidates(examined, List.of(name))) {
            Seen found = seen.get(candidate);
            if (found != null && found.loaded()) return found;
        }
        return seen.get(name);
    }

    /// Returns the candidates of each name: the plain name for the loader, then the directories of vendors and
    /// Python.
    static List<String> candidates(ExaminedMachine examined, List<String> names) {
        List<File> directories = directories(examined);
        List<String> all = new ArrayList<>();
        for (String name : names) {
            all.add(name);
            for (File directory : directories) {
                File[] files = directory.listFiles((where, file) -> file.startsWith(name));
                if (files != null && files.length > 0) all.add(files[0].toString());
            }
        }
        return all;
    }

    private static List<File> directories(ExaminedMachine examined) {
        List<File> found = new ArrayList<>();
        for (String variable : List.of("CUDA_HOME", "CUDA_PATH", "ROCM_PATH")) {
            String home = examined.env().get(variable);
            if (home == null || home.isBlank()) continue;
            found.add(new File(home, "lib64"));
            found.add(new File(home, "lib"));
        }
        found.add(examined.file("/usr/local/cuda/lib64").toFile());
        found.add(examined.file("/opt/rocm/lib").toFile());
        for (String variable : List.of("VIRTUAL_ENV", "CONDA_PREFIX")) {
            String home = examined.env().get(variable);
            if (home != null && !home.isBlank()) python(Path.of(home, "lib"), found);
        }
        return found;
    }

    /// Adds `lib/python3.12/site-packages/nvidia/nccl/lib` and similar directories.
    private static void python(Path lib, List<File> into) {
        File[] versions = lib.toFile().listFiles((where, name) -> name.startsWith("python3"));
        if (versions == null) return;
        for (File version : versions) {
            File[] packages = new File(version, "site-packages/nvidia").listFiles();
            if (packages == null) continue;
            for (File one : packages) {
                File directory = new File(one, "lib");
                if (Files.isDirectory(directory.toPath())) into.add(directory);
            }
        }
    }
}
