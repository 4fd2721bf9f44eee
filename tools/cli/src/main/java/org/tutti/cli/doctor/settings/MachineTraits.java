package org.tutti.cli.doctor.settings;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What a machine has, as far as settings hang on it.
public interface MachineTraits {
    /// Of the library; empty where it is here but does not tell; null where it is not here.
    @Nullable
    String version(Owner owner);

    /// Whether there is an RDMA card.
    boolean hasFabric();

    /// Whether the value, a list of interfaces or networks, names an interface that there is not.
    boolean lacksInterface(String value);

    /// What Open MPI says of itself; null where it cannot be asked.
    @Nullable
    Parameters openMpi();

    /// The names of variables in the library's own file; null where it was not found, or does not have them
    /// in it.
    @Nullable
    Set<String> names(Owner owner);
}
