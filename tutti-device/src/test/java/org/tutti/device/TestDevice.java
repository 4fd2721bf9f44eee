package org.tutti.device;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/// Opens devices for tests.
final class TestDevice {
    private TestDevice() {}

    /// Skips the test, with the reason, where there is none.
    static Device open(String kind) {
        try {
            return Device.get(kind);
        } catch (DeviceUnavailableException e) {
            if ("true".equals(System.getenv("CI"))) fail("nothing is skipped in CI", e);
            assumeTrue(false, e.getMessage());
            throw e;
        }
    }

    static boolean isHere(String kind) {
        return Device.all().stream().anyMatch(device -> device.kind().equals(kind));
    }
}
