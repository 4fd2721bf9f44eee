package org.tutti.train;

import java.util.List;

/// Transport between the memories of devices. All other messages use the underlying group. Loaded as a service.
public interface AcceleratorBackend {
    /// Returns the names, for example `nccl`.
    List<String> names();

    /// Connects the devices of all ranks of `group`. Closing the result also closes `group`. All ranks call
    /// this method.
    ///
    /// @throws TrainingException on all ranks, if the devices cannot be connected; the message names the
    ///     missing part
    ProcessGroup connect(ProcessGroup group, String name);
}
