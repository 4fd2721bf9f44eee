package org.tutti.device.library;

/// Environment variables that libraries of devices read, for what is said of them.
public final class VendorSetting {
    private VendorSetting() {}

    /// A variable's value; empty where it is not set.
    public static String of(String name) {
        return System.getenv().getOrDefault(name, "");
    }
}
