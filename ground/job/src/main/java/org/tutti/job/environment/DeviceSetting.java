package org.tutti.job.environment;

import org.jspecify.annotations.Nullable;

/// The user's choice of devices for the ranks of a program.
public final class DeviceSetting {
    /// A kind of devices, which is then required, or [#ANY].
    public static final String VARIABLE = "TUTTI_DEVICE";

    /// The same for one JVM; it has priority.
    public static final String PROPERTY = "tutti.device";

    /// Any device except the host.
    public static final String ANY = "any";

    private DeviceSetting() {}

    /// Returns the setting; null if not set.
    public static @Nullable String get() {
        String property = System.getProperty(PROPERTY);
        String value = property != null ? property : System.getenv(VARIABLE);
        return value == null || value.isBlank() ? null : value.strip();
    }

    /// Returns the setting with the name: `TUTTI_DEVICE=cuda`.
    public static String shown(String value) {
        return (System.getProperty(PROPERTY) == null ? VARIABLE : "-D" + PROPERTY) + "=" + value;
    }
}
