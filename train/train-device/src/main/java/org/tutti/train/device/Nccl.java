package org.tutti.train.device;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.tutti.device.Device;
import org.tutti.train.AcceleratorBackend;
import org.tutti.train.MpiProcessGroup;
import org.tutti.train.ProcessGroup;
import org.tutti.train.TrainingException;

/// The backends `nccl` and `rccl`. As in PyTorch, `nccl` is RCCL on AMD's GPUs.
public final class Nccl implements AcceleratorBackend {
    /// The libraries for each name.
    private static final Map<String, List<String>> LIBRARIES =
            Map.of("nccl", List.of("nccl", "rccl"), "rccl", List.of("rccl"));

    /// The kinds of devices that each backend can connect, by the backend's name.
    private static final Map<String, List<String>> KINDS =
            Map.of("nccl", List.of("cuda", "hip"), "rccl", List.of("hip"));

    /// Called by the service loader.
    public Nccl() {}

    @Override
    public List<String> names() {
        return List.of("nccl", "rccl");
    }

    @Override
    public ProcessGroup connect(ProcessGroup group, String name) {
        if (!(group instanceof MpiProcessGroup ranks)) {
            throw new TrainingException("backend " + name + " is connected by MPI's messages, and this group is over "
                    + group.backend() + "; start the ranks with tutti run, mpirun or srun");
        }
        List<String> kinds = KINDS.get(name), libraries = LIBRARIES.get(name);
        if (kinds == null || libraries == null) throw new IllegalArgumentException(name + " is none of " + names());
        requireDevices(group, name, kinds);
        return DeviceGroup.accelerated(ranks, libraries, name);
    }

    /// Throws on all ranks if a rank has no device of these kinds.
    private static void requireDevices(ProcessGroup group, String name, List<String> kinds) {
        long here = kinds.stream().mapToInt(kind -> Device.all(kind).size()).sum();
        long[] all = group.allgather(here);
        List<String> without = new ArrayList<>();
        for (int r = 0; r < all.length; r++) if (all[r] == 0) without.add(Integer.toString(r));
        if (without.isEmpty()) return;
        String ranks = without.size() == 1 ? "rank " + without.getFirst() : "ranks " + String.join(", ", without);
        throw new TrainingException("backend " + name + " needs a device of kind " + String.join(" or ", kinds)
                + " for each rank, and " + ranks + " of " + group.size() + (without.size() == 1 ? " has" : " have")
                + " none; use gloo or mpi without devices, or DeviceGroup.init for any available device; devices of this rank, "
                + group.rank() + ":\n"
                + kinds.stream().map(Device::report).collect(Collectors.joining("\n")));
    }
}
