package org.tutti.device.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.device.library.Attempt;
import org.tutti.mpi.Comm;

/// A library of operations between the devices of several ranks, a service of `java.util.ServiceLoader`.
/// It is loaded when it is first asked for, and is never required to be there.
public interface CollectiveLibrary {
    /// As users of the library call it, with small letters.
    String name();

    /// The kind of the devices that it works with.
    String deviceKind();

    /// Every place that was looked at for the library, in that order, with what was there. Loads it, so it
    /// is asked only where there are devices of its kind.
    List<Attempt> attempts();

    /// The library's, as its makers write it: `2.30.7`; null when it is not there. Loads it, as
    /// [#attempts].
    @Nullable
    String version();

    /// Connects the devices of all ranks of `comm`. Collective over `comm`: on all ranks this returns, or
    /// throws.
    ///
    /// @throws DeviceFault `UNSUPPORTED`, on all ranks alike, when the library or its version is not the
    ///     same on all, or ranks share a device and it cannot do that; `FAILED` when it does not get ready
    DeviceCommunicator connect(Comm comm, DeviceDriver device);
}
