package org.tutti.device;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Stream;
import org.tutti.device.host.HostBackend;
import org.tutti.device.spi.CollectiveLibrary;
import org.tutti.device.spi.DeviceDriver;
import org.tutti.device.spi.DeviceFault;
import org.tutti.device.spi.InterprocessMemory;
import org.tutti.mpi.Comm;

/// Opens devices for tests, including tests of other packages.
@SuppressWarnings("exports") // test code in an exported package
public final class TestDevice {
    private TestDevice() {}

    /// Returns the host, OpenCL, and the GPUs of this machine.
    static Stream<String> kinds() {
        return Stream.concat(Stream.of("host"), compiled());
    }

    /// Returns the kinds with compiled kernels and separate memory.
    static Stream<String> compiled() {
        return Stream.concat(Stream.of("opencl"), gpus());
    }

    /// Returns the kinds of GPUs that this machine has, with a vendor's driver.
    static Stream<String> gpus() {
        return Stream.of("cuda", "hip").filter(TestDevice::isHere);
    }

    /// Opens a device. If it does not exist, skips the test, with the reason; in CI, fails the test.
    static Device open(String kind) {
        try {
            return Device.get(kind);
        } catch (DeviceUnavailableException e) {
            if ("true".equals(System.getenv("CI"))) fail("no test is skipped in CI", e);
            assumeTrue(false, e.getMessage());
            throw e;
        }
    }

    /// Returns a device with this driver.
    public static Device of(DeviceDriver driver) {
        return new Device(driver, 1);
    }

    /// Returns a host device that simulates memory shared between processes; the ranks are threads of one
    /// process.
    public static Device shared() {
        return shared("");
    }

    /// @param closeFailure the fault of each close of opened memory; empty for success
    static Device shared(String closeFailure) {
        DeviceDriver host = new HostBackend().open(0);
        InterprocessMemory memory = new InterprocessMemory() {
            @Override
            public Exported export(long address) {
                return new Exported(
                        ByteBuffer.allocate(Long.BYTES).putLong(address).array(), 0);
            }

            @Override
            public long open(byte[] handle) {
                return ByteBuffer.wrap(handle).getLong();
            }

            @Override
            public void close(long address) {
                if (!closeFailure.isEmpty()) throw new DeviceFault(DeviceFault.Reason.FAILED, closeFailure);
            }
        };
        Class<?>[] faces = {DeviceDriver.class, InterprocessMemory.class};
        return of((DeviceDriver) Proxy.newProxyInstance(TestDevice.class.getClassLoader(), faces, (p, method, a) -> {
            try {
                return method.invoke(method.getDeclaringClass() == InterprocessMemory.class ? memory : host, a);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }

    public static DeviceComm connect(Comm comm, Device device, List<CollectiveLibrary> libraries) {
        return DeviceComm.of(comm, device, libraries);
    }

    /// Installs the route, like [Device#forRank].
    public static void route(Comm comm, Device device, List<CollectiveLibrary> libraries) {
        device.connect(comm, libraries);
    }

    static boolean isHere(String kind) {
        return !Device.all(kind).isEmpty();
    }
}
