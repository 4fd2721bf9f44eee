package org.tutti.job.environment;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The user's override for the kinds of device memory that the MPI library can access by address. Replaces the
/// library's information.
public final class DeviceAwareness {
    /// Kinds of devices, separated by commas, or [#NONE].
    public static final String VARIABLE = "TUTTI_MPI_DEVICES";

    /// The same for one JVM; it has priority.
    public static final String PROPERTY = "tutti.mpi.devices";

    private static final String NONE = "none";

    private DeviceAwareness() {}

    /// Returns the override; null if not set.
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
