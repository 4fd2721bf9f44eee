package org.tutti.job.environment;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Which devices' memory the user says that the MPI library takes by its address, in place of what the library
/// says of itself.
public final class DeviceAwareness {
    /// Kinds of devices, divided by commas, or [#NONE].
    public static final String VARIABLE = "TUTTI_MPI_DEVICES";

    /// The same for one JVM, where it goes first.
    public static final String PROPERTY = "tutti.mpi.devices";

    private static final String NONE = "none";

    private DeviceAwareness() {}

    /// What is set; null when nothing is.
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
