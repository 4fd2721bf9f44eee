package org.tutti.cli.doctor.settings;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The software that reads a setting.
public enum Owner {
    OPENMPI("Open MPI", "OMPI_MCA_", true),
    PRRTE("PRRTE", "PRTE_MCA_", true),
    PMIX("PMIx", "PMIX_MCA_", true),
    UCX("UCX", "UCX_", false),
    NCCL("NCCL", "NCCL_", false),
    RCCL("RCCL", "RCCL_", false),
    MPICH("MPICH", "MPIR_CVAR_", false),
    HYDRA("MPICH's mpiexec", "HYDRA_", false),
    LIBFABRIC("libfabric", "FI_", false),
    /// Drivers of devices, and software that searches for devices. The names of the variables have no common
    /// prefix.
    DEVICES("devices", "", false),
    /// Options of Open MPI's launcher.
    MPIRUN("Open MPI's mpirun", "", false),
    /// Options of MPICH's launcher.
    MPIEXEC("MPICH's mpiexec", "", false);

    /// Alternative prefixes of MPICH's variables; each variable has all three names.
    static final String[] MPICH_TOO = {"MPICH_", "MPIR_PARAM_"};

    private final String title;
    private final String prefix;
    private final boolean bare;

    Owner(String title, String prefix, boolean bare) {
        this.title = title;
        this.prefix = prefix;
        this.bare = bare;
    }

    /// Returns the name for messages.
    public String title() {
        return title;
    }

    /// Returns the prefix of the owner's variables.
    String prefix() {
        return prefix;
    }

    /// Whether each variable of this owner consists of the prefix and the name of a parameter.
    boolean isBare() {
        return bare;
    }

    boolean isLauncher() {
        return this == MPIRUN || this == MPIEXEC;
    }

    /// Returns the owner whose installed version determines which facts apply to the settings of this owner.
    Owner installedAs() {
        return switch (this) {
            case PRRTE, PMIX, MPIRUN -> OPENMPI;
            case HYDRA, MPIEXEC -> MPICH;
            case OPENMPI, UCX, NCCL, RCCL, MPICH, LIBFABRIC, DEVICES -> this;
        };
    }

    static Owner named(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }

    /// Returns the owner of a variable with this name; null for any other name.
    static @Nullable Owner ofVariable(String variable) {
        for (Owner owner : values()) {
            if (!owner.prefix.isEmpty() && variable.startsWith(owner.prefix)) return owner;
        }
        for (String too : MPICH_TOO) if (variable.startsWith(too)) return MPICH;
        return null;
    }

    /// Returns the name of this variable in the table.
    String nameOf(String variable) {
        return bare && variable.startsWith(prefix) ? variable.substring(prefix.length()) : variable;
    }
}
