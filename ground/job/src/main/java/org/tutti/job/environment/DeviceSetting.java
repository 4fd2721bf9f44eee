package org.tutti.job.environment;

import org.jspecify.annotations.Nullable;

/// Which device the user wants a program's ranks to have.
public final class DeviceSetting {
    /// A kind of devices, which is then required, or [#ANY].
    public static final String VARIABLE = "TUTTI_DEVICE";

    /// The same for one JVM, where it goes first.
    public static final String PROPERTY = "tutti.device";

    /// Any but the host.
    public static final String ANY = "any";

    private DeviceSetting() {}

    /// What is set; null when nothing is.
    public static @Nullable String get() {
        String property = System.getProperty(PROPERTY);
        String value = property != null ? property : System.getenv(VARIABLE);
        return value == null || value.isBlank() ? null : value.strip();
    }

    /// How it was said: `TUTTI_DEVICE=cuda`.
    public static String shown(String value) {
        return (System.getProperty(PROPERTY) == null ? VARIABLE : "-D" + PROPERTY) + "=" + value;
    }
}
