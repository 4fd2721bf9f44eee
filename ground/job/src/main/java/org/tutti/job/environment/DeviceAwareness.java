package org.tutti.job.environment;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The kinds of device memory that the MPI library can access by address, as stated by the user. The user's
/// statement replaces the information from the library.
public final class DeviceAwareness {
    /// The environment variable with the kinds of devices, separated by commas, or [#NONE].
    public static final String VARIABLE = "TUTTI_MPI_DEVICES";

    /// The system property with the same meaning, for a single JVM. It has priority over the variable.
    public static final String PROPERTY = "tutti.mpi.devices";

    private static final String NONE = "none";

    private DeviceAwareness() {}

    /// Returns the kinds that the user has stated; null if the property and the variable are not set.
    public static @Nullable Set<String> get() {
        String property = System.getProperty(PROPERTY);
        String value = property != null ? property : System.getenv(VARIABLE);
        if (value == null || value.isBlank()) return null;
        return Arrays.stream(value.split(","))
                .map(String::strip)
                .filter(kind -> !kind.isEmpty() && !kind.equals(NONE))
                .collect(Collectors.toUnmodifiableSet());
    }
}
