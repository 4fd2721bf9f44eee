package org.tutti.device.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.device.library.Attempt;
import org.tutti.mpi.Comm;

/// A library for communication between the devices of several ranks, which is a service of
/// `java.util.ServiceLoader`. The library is optional, and is loaded at the first use.
public interface CollectiveLibrary {
    /// Returns the common name of the library, in lower case.
    String name();

    /// Returns the kind of devices that the library supports.
    String deviceKind();

    /// Returns all searched locations, in order, with the result of each. Loads the library, so the caller must
    /// have a device of this kind.
    List<Attempt> attempts();

    /// Returns the version in the vendor's format, for example `2.30.7`; null if the library is missing. Loads
    /// the library, like [#attempts].
    @Nullable
    String version();

    /// Connects the devices of all ranks of `comm`. Collective over `comm`: returns on all ranks, or throws on
    /// all ranks.
    ///
    /// @throws DeviceFault `UNSUPPORTED`, on all ranks, if a rank has no library, a different version of the
    ///     library, or an invalid setting, or if ranks share a device and the library does not support that;
    ///     `FAILED` if the initialization fails
    DeviceCommunicator connect(Comm comm, DeviceDriver device);
}
