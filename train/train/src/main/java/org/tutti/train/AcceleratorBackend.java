package org.tutti.train;

import java.util.List;

/// Transport between the memory of devices, on top of a group for all other messages. Loaded as a service.
public interface AcceleratorBackend {
    /// Returns the names, for example `nccl`.
    List<String> names();

    /// Connects the devices of all ranks of `group`, which is closed together with the result. All ranks call
    /// it.
    ///
    /// @throws TrainingException on all ranks, if the devices cannot be connected, with the missing part
    ProcessGroup connect(ProcessGroup group, String name);
}
