package org.tutti.device.library;

/// Environment variables that device libraries read; used for messages.
public final class VendorSetting {
    private VendorSetting() {}

    /// Returns the value of a variable; empty if not set.
    public static String of(String name) {
        return System.getenv().getOrDefault(name, "");
    }
}
