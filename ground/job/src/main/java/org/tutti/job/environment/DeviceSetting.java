package org.tutti.job.environment;

import org.jspecify.annotations.Nullable;

/// The user's choice of devices for the ranks of a program.
public final class DeviceSetting {
    /// The environment variable with the kind of devices that the program requires, or with [#ANY].
    public static final String VARIABLE = "TUTTI_DEVICE";

    /// The system property with the same meaning, for a single JVM. It has priority over the variable.
    public static final String PROPERTY = "tutti.device";

    /// Any device except the host.
    public static final String ANY = "any";

    private DeviceSetting() {}

    /// Returns the setting; null if the property and the variable are not set.
    public static @Nullable String get() {
        String property = System.getProperty(PROPERTY);
        String value = property != null ? property : System.getenv(VARIABLE);
        return value == null || value.isBlank() ? null : value.strip();
    }

    /// Returns the setting with its name, for example `TUTTI_DEVICE=cuda`.
    public static String shown(String value) {
        return (System.getProperty(PROPERTY) == null ? VARIABLE : "-D" + PROPERTY) + "=" + value;
    }
}
