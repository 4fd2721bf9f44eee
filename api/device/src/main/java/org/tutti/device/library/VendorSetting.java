package org.tutti.device.library;

/// Environment variables that device libraries read. They are mentioned in error messages.
public final class VendorSetting {
    private VendorSetting() {}

    /// Returns the value of a variable; an empty string if the variable is not set.
    public static String of(String name) {
        return System.getenv().getOrDefault(name, "");
    }
}
