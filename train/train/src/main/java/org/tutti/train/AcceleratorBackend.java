package org.tutti.train;

import java.util.List;

/// What carries messages between the memory of devices, above a group that carries all others; found as
/// a service.
public interface AcceleratorBackend {
    /// `nccl` for instance.
    List<String> names();

    /// Connects the devices of all ranks of `group`, which is closed with what is returned. All ranks
    /// call it.
    ///
    /// @throws TrainingException on all ranks, when they cannot be connected so, with what is missing
    ProcessGroup connect(ProcessGroup group, String name);
}
