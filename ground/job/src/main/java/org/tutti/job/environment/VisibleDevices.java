package org.tutti.job.environment;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The number of GPUs that are visible to a program: the GPUs that a driver exposes as files, minus the GPUs
/// that variables hide. The drivers are not loaded, because this would cost a second and require native access;
/// therefore a defective device is counted, too.
///
/// NVIDIA's driver creates `/dev/nvidia0` and so on, and a container gets only the assigned devices; AMD's
/// driver describes each GPU in `/sys/class/kfd`.
public final class VisibleDevices {
    private static final String CUDA = "CUDA_VISIBLE_DEVICES",
            ROCR = "ROCR_VISIBLE_DEVICES",
            HIP = "HIP_VISIBLE_DEVICES";

    private VisibleDevices() {}

    /// Returns the number of GPUs of this process.
    public static int count() {
        return count(Path.of("/"), System.getenv());
    }

    static int count(Path root, Map<String, String> environment) {
        int nvidia = visible(nvidia(root), environment.get(CUDA));
        int amd = visible(amd(root), environment.get(ROCR));
        return nvidia + visible(amd, environment.get(HIP));
    }

    private static int nvidia(Path root) {
        int count = 0;
        try (DirectoryStream<Path> found = Files.newDirectoryStream(root.resolve("dev"), "nvidia[0-9]*")) {
            for (Path device : found) if (device.getFileName().toString().matches("nvidia[0-9]+")) count++;
        } catch (IOException e) {
            return 0; // without such a directory there are no such devices
        }
        return count;
    }

    /// Returns the number of AMD GPUs. Processors are also nodes in the directory, with an id of 0, and are not
    /// counted.
    private static int amd(Path root) {
        if (!Files.isReadable(root.resolve("dev/kfd"))) return 0;
        int count = 0;
        try (DirectoryStream<Path> nodes = Files.newDirectoryStream(root.resolve("sys/class/kfd/kfd/topology/nodes"))) {
            for (Path node : nodes) {
                if (!Files.readString(node.resolve("gpu_id")).strip().equals("0")) count++;
            }
        } catch (IOException e) {
            return 0;
        }
        return count;
    }

    /// Returns the number of visible GPUs, according to the rules of CUDA and PyTorch: the list ends at the
    /// first invalid entry, and is empty if an entry occurs twice. The entries are either all numbers, or all
    /// identifiers, such as `GPU-8932f937-d72c` or `MIG-…`.
    private static int visible(int there, @Nullable String list) {
        if (list == null || there == 0) return there;
        Set<String> seen = new LinkedHashSet<>();
        boolean isByIdentifier = isIdentifier(list.strip());
        for (String each : list.split(",", -1)) {
            String entry = each.strip();
            if (isByIdentifier ? !isIdentifier(entry) : !isNumberBelow(there, entry)) break;
            if (!seen.add(isByIdentifier ? entry : Integer.valueOf(entry).toString())) return 0;
        }
        return seen.size();
    }

    private static boolean isIdentifier(String entry) {
        return entry.startsWith("GPU-") || entry.startsWith("MIG-");
    }

    private static boolean isNumberBelow(int bound, String entry) {
        return entry.matches("[0-9]{1,6}") && Integer.parseInt(entry) < bound;
    }
}
