package org.tutti.cli.doctor;

import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tutti.cli.doctor.DeviceAnswers.Attempt;
import org.tutti.cli.doctor.DeviceAnswers.Found;

/// Reports the checks and findings for a kind of device.
final class DeviceEvaluator {
    static final String CUDA = "cuda", HIP = "hip", OPENCL = "opencl", HOST = "host";

    /// Variables that hide devices of a kind; AMD's runtime reads CUDA's variable, too.
    private static final List<String> CUDA_MASKS = List.of("CUDA_VISIBLE_DEVICES"),
            HIP_MASKS =
                    List.of(
                            "ROCR_VISIBLE_DEVICES",
                            "HIP_VISIBLE_DEVICES",
                            "GPU_DEVICE_ORDINAL",
                            "CUDA_VISIBLE_DEVICES"),
            OPENCL_MASKS = List.of("OCL_ICD_VENDORS", "POCL_DEVICES");

    /// Vendor ids on the PCI bus, and the prefixes of the device classes.
    private static final String NVIDIA = "0x10de", AMD = "0x1002", DISPLAY = "0x03", ACCELERATOR = "0x12";

    private static final String PCI = "/sys/bus/pci/devices";
    private static final String STUB = "(34)";
    private static final String NO_SUCH_FILE = "No such file or directory";
    private static final Pattern DRIVER = Pattern.compile("CUDA (\\d+)\\.(\\d+)");
    private static final Pattern COMPILER = Pattern.compile("NVRTC (\\d+)\\.(\\d+)");

    private final ExaminedMachine examined;
    private final String kind;
    private final DeviceAnswers answers;
    private final CheckResults notes;

    private DeviceEvaluator(ExaminedMachine examined, String kind, DeviceAnswers answers, CheckResults notes) {
        this.examined = examined;
        this.kind = kind;
        this.answers = answers;
        this.notes = notes;
    }

    static void evaluate(ExaminedMachine examined, String kind, DeviceAnswers answers, CheckResults notes) {
        new DeviceEvaluator(examined, kind, answers, notes).evaluate();
    }

    private void evaluate() {
        attempts();
        for (Found device : answers.devices()) device(device);
        for (List<String> library : answers.collectives()) {
            String name = library.get(0).toUpperCase(Locale.ROOT), version = library.get(1);
            notes.ok(
                    version.isEmpty()
                            ? "no " + name + ": collective operations between these devices use other paths"
                            : name + " " + version);
        }
        hidden();
        if (answers.end().isEmpty()) return;
        notes.fails(
                answers.end(),
                "a program that opens devices ends in the same way: reinstall the last library in this list; TUTTI_DEVICE="
                        + "host disables all devices in Device.forRank");
    }

    // ---- checked libraries

    private void attempts() {
        List<Attempt> without = new ArrayList<>();
        for (Attempt each : answers.attempts()) {
            boolean isCandidate = each.what().contains(".so") || each.what().startsWith("/");
            if (each.failure().isEmpty()) {
                // an attempt succeeded, so the earlier failed attempts are not problems
                for (Attempt tried : without) notes.ok(words(tried));
                without.clear();
                notes.ok(each.file().isEmpty() ? each.what() : each.what() + " is " + each.file());
            } else if (isCandidate) {
                without.add(each);
            } else {
                report(without);
                call(each);
            }
        }
        report(without);
    }

    /// Reports a list of attempts to load a library, all of which have failed.
    private void report(List<Attempt> without) {
        for (Attempt each : without) {
            if (isAbsent(each)) notes.ok(words(each));
            else notes.warn(words(each), "reinstall it or its dependencies (see ldd), or remove it");
        }
        without.clear();
    }

    private static boolean isAbsent(Attempt each) {
        String failure = each.failure();
        return failure.startsWith(each.what()) && failure.endsWith(NO_SUCH_FILE)
                || failure.startsWith("no ")
                || failure.startsWith("not there");
    }

    /// Returns the loader's message, which usually begins with the name.
    private static String words(Attempt each) {
        return each.failure().startsWith(each.what()) ? each.failure() : each.what() + ": " + each.failure();
    }

    /// Reports a failed call, or a consequence of a missing library. In the text of the failure, which the
    /// library's backend has written, the remedy follows the first semicolon.
    private void call(Attempt each) {
        int end = each.failure().indexOf("; ");
        String failure = end < 0 ? each.failure() : each.failure().substring(0, end);
        String remedy = end < 0 ? "" : each.failure().substring(end + 2);
        if (each.what().equals(kind)) {
            List<String> cards = cards();
            if (kind.equals(CUDA) && !cards.isEmpty()) {
                notes.warn(failure + ", but a card at " + String.join(", ", cards), "install it; " + remedy);
            } else {
                notes.ok(each.failure());
            }
            return;
        }
        String text = each.what() + ": " + failure;
        if (kind.equals(CUDA) && failure.endsWith(STUB)) notes.fails(text, remedy);
        else notes.warn(text, remedy.isEmpty() ? defaultRemedy() : remedy);
    }

    private String defaultRemedy() {
        return switch (kind) {
            case CUDA -> "check nvidia-smi; start a container with --gpus all";
            case HIP -> "check rocminfo; start a container with --device /dev/kfd --device /dev/dri";
            case OPENCL -> "check clinfo; apt-get install pocl-opencl-icd provides the CPU as a device";
            default -> "see the documentation of the library";
        };
    }

    // ---- devices

    private void device(Found device) {
        String numa = device.pciId().isEmpty()
                ? null
                : examined.text(PCI + "/" + device.pciId().toLowerCase(Locale.ROOT) + "/numa_node");
        // -1 if the machine has only one node, or does not report it
        boolean hasNuma = numa != null && !numa.startsWith("-");
        notes.ok(device.id() + " is " + device.name() + ", UUID " + device.uuid() + ", " + (device.memoryBytes() >> 20)
                + " MiB, " + device.multiprocessors()
                + (device.multiprocessors().equals("1") ? " multiprocessor, " : " multiprocessors, ")
                + (device.architecture().equals(device.name()) ? "" : device.architecture() + ", ")
                + (device.pciId().isEmpty() ? "not on the PCI bus" : "PCI " + device.pciId())
                + (hasNuma ? ", NUMA node " + numa : "") + "; " + driver(device));
        String failure = answers.of("not-opened", device.id());
        String compiler = answers.of("opened", device.id());
        if (failure != null) {
            int end = failure.indexOf("; ");
            notes.warn(
                    device.id() + " cannot be used: " + (end < 0 ? failure : failure.substring(0, end)),
                    end < 0 ? defaultRemedy() : failure.substring(end + 2));
        } else if (compiler != null && kind.equals(HOST)) {
            notes.ok(device.id() + " runs kernels in Java");
        } else if (compiler != null) {
            boolean isDriver = compiler.startsWith(device.driver());
            notes.ok(device.id() + " runs kernels of " + (isDriver ? "its driver's compiler" : compiler));
            compare(device, compiler);
        }
    }

    /// Returns the text about the driver without the part about the platform, which is reported in a separate
    /// line.
    private String driver(Found device) {
        for (Attempt each : answers.attempts()) {
            int end = device.driver().startsWith(each.what())
                    ? device.driver().indexOf(", ", each.what().length())
                    : -1;
            if (end >= 0) return device.driver().substring(end + 2);
        }
        return device.driver();
    }

    /// Compares the versions of driver and compiler. Every driver loads machine code for the device; PTX
    /// requires a driver at least as new as the compiler.
    private void compare(Found device, String compiler) {
        Matcher can = DRIVER.matcher(device.driver()), wants = COMPILER.matcher(compiler);
        if (!can.find() || !wants.find() || number(wants) <= number(can)) return;
        String supported = can.group(1) + "." + can.group(2);
        notes.warn(
                "the driver supports CUDA " + supported + ", NVRTC is " + wants.group(1) + "." + wants.group(2)
                        + ": the driver rejects the PTX of NVRTC, which NVRTC generates for an architecture that it"
                        + " does not know (CUDA_ERROR_UNSUPPORTED_PTX_VERSION)",
                "install a newer driver; or the NVRTC of CUDA " + supported + ", and name it with"
                        + " -Dtutti.device.lib.nvrtc=…");
    }

    private static int number(Matcher version) {
        return Integer.parseInt(version.group(1)) * 1000 + Integer.parseInt(version.group(2));
    }

    // ---- settings that hide devices

    private void hidden() {
        List<String> masks = switch (kind) {
            case CUDA -> CUDA_MASKS;
            case HIP -> HIP_MASKS;
            case OPENCL -> OPENCL_MASKS;
            default -> List.of();
        };
        int seen = answers.devices().size();
        List<String> cards = cards();
        for (String mask : masks) {
            String value = examined.env().get(mask);
            if (value == null) continue;
            String text = mask + "=" + value + ": " + seen + (seen == 1 ? " device is" : " devices are") + " seen"
                    + (cards.isEmpty()
                            ? ""
                            : ", the machine has " + cards.size() + (cards.size() == 1 ? " card" : " cards"));
            if (seen == 0 && !cards.isEmpty()) notes.warn(text, "unset " + mask + " to see all");
            else notes.ok(text);
        }
    }

    /// Returns the PCI addresses of the vendor's cards, with or without a driver.
    private List<String> cards() {
        String maker = kind.equals(CUDA) ? NVIDIA : kind.equals(HIP) ? AMD : null;
        File[] all = examined.file(PCI).toFile().listFiles();
        if (maker == null || all == null) return List.of();
        List<String> cards = new ArrayList<>();
        Arrays.sort(all);
        for (File each : all) {
            String place = PCI + "/" + each.getName();
            String type = examined.text(place + "/class");
            if (type == null || !maker.equals(examined.text(place + "/vendor"))) continue;
            if (type.startsWith(DISPLAY) || type.startsWith(ACCELERATOR)) cards.add(each.getName());
        }
        return cards;
    }
}
