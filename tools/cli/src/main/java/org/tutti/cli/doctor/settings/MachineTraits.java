package org.tutti.cli.doctor.settings;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The properties of a machine on which settings depend.
public interface MachineTraits {
    /// Returns the version of the library; empty if the library is installed but the version is unknown; null
    /// if the library is not installed.
    @Nullable
    String version(Owner owner);

    /// Whether the machine has an RDMA card.
    boolean hasFabric();

    /// Whether the value, a list of interfaces or networks, names an interface that does not exist.
    boolean lacksInterface(String value);

    /// Returns the parameters that Open MPI reports; null if Open MPI cannot be queried.
    @Nullable
    Parameters openMpi();

    /// Returns the names of variables in the library's file; null if the file was not found or does not contain
    /// complete names.
    @Nullable
    Set<String> names(Owner owner);
}
