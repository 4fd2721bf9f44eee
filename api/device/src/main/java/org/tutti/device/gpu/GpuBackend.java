package org.tutti.device.gpu;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.tutti.device.info.DeviceAttributes;
import org.tutti.device.library.Attempt;
import org.tutti.device.library.DynamicLibrary;
import org.tutti.device.library.JvmSignals;
import org.tutti.device.library.LibrarySearch;
import org.tutti.device.spi.DeviceBackend;
import org.tutti.device.spi.DeviceDriver;
import org.tutti.device.spi.DeviceFault;
import org.tutti.device.spi.DeviceFault.Reason;
import org.tutti.device.spi.Discovery;

/// The GPUs of a vendor. The driver is queried once. The compiler library, which is large, is loaded when the
/// first kernel is compiled or loaded from the disk cache, and the matrix library at the first matrix
/// multiplication.
public abstract class GpuBackend implements DeviceBackend {
    private static final int NAME_BYTES = 256, PCI_BYTES = 32, UUID_BYTES = 16;
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    private final GpuPlatform platform;
    private final Function<LibrarySearch, DynamicLibrary> loader;
    private @Nullable RuntimeCompiler compiler;
    private @Nullable MatrixApi matrices;
    private @Nullable GpuCalls calls;
    private @Nullable Discovery discovery;

    protected GpuBackend(GpuPlatform platform) {
        this(platform, DynamicLibrary::find);
    }

    /// @param loader loads a library; tests pass a fake
    protected GpuBackend(GpuPlatform platform, Function<LibrarySearch, DynamicLibrary> loader) {
        this.platform = platform;
        this.loader = loader;
    }

    @Override
    public final String kind() {
        return platform.kind();
    }

    @Override
    public final int order() {
        return platform.order();
    }

    @Override
    public final synchronized Discovery discover() {
        if (discovery == null) discovery = JvmSignals.kept(this::search);
        return discovery;
    }

    private Discovery search() {
        Attempt without = platform.withoutLibrary();
        if (without != null) return new Discovery(List.of(), List.of(without));
        List<Attempt> attempts = new ArrayList<>();
        List<DeviceAttributes> devices = new ArrayList<>();
        DynamicLibrary library = loader.apply(platform.driver());
        attempts.addAll(library.attempts());
        if (library.symbols() == null) {
            attempts.add(new Attempt(platform.kind(), platform.absent()));
        } else {
            try {
                calls = new GpuCalls(platform, String.valueOf(library.path()), library.symbols());
                search(calls, devices, attempts);
            } catch (DeviceFault e) {
                attempts.add(new Attempt(String.valueOf(library.path()), e.getMessage()));
            }
        }
        return new Discovery(devices, attempts);
    }

    private void search(GpuCalls calls, List<DeviceAttributes> devices, List<Attempt> attempts) {
        int code = calls.table.call(DriverFunction.INIT, 0);
        if (code != 0) {
            attempts.add(new Attempt(calls.call(DriverFunction.INIT, "flags=0"), calls.text(code)));
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(JAVA_INT);
            code = calls.table.call(DriverFunction.DEVICE_COUNT, count.address());
            if (code != 0) {
                attempts.add(new Attempt(calls.call(DriverFunction.DEVICE_COUNT, ""), calls.text(code)));
                return;
            }
            for (int i = 0; i < count.get(JAVA_INT, 0); i++) {
                try {
                    devices.add(describe(calls, i));
                } catch (DeviceFault e) { // only this device is unusable
                    attempts.add(new Attempt(platform.kind() + ":" + i, e.getMessage()));
                }
            }
            if (count.get(JAVA_INT, 0) == 0) {
                attempts.add(new Attempt(calls.call(DriverFunction.DEVICE_COUNT, ""), "0 devices"));
            }
        }
    }

    private DeviceAttributes describe(GpuCalls calls, int index) {
        try (Arena arena = Arena.ofConfined()) {
            int device = device(calls, index);
            MemorySegment out = arena.allocate(NAME_BYTES);
            ask(calls, DriverFunction.DEVICE_NAME, index, out.address(), NAME_BYTES, device);
            String name = out.getString(0);
            ask(calls, DriverFunction.DEVICE_PCI_ID, index, out.fill((byte) 0).address(), PCI_BYTES, device);
            String pciId = out.getString(0);
            int code = calls.table.call(DriverFunction.DEVICE_MEMORY, out.address(), device);
            if (code != 0) throw calls.fault(DriverFunction.DEVICE_MEMORY, code, "device=" + index);
            long memory = out.get(JAVA_LONG, 0);
            return new DeviceAttributes(
                    platform.kind(),
                    index,
                    name,
                    uuid(calls, device, pciId),
                    memory,
                    pciId,
                    platform.architecture(
                            attribute(calls, device, VendorNumber.MAJOR),
                            attribute(calls, device, VendorNumber.MINOR),
                            pciId),
                    attribute(calls, device, VendorNumber.MULTIPROCESSORS),
                    attribute(calls, device, VendorNumber.THREADS_PER_BLOCK),
                    attribute(calls, device, VendorNumber.SHARED_BYTES),
                    calls.driver);
        }
    }

    private static void ask(GpuCalls calls, DriverFunction function, int index, long out, int bytes, int device) {
        int code = calls.table.call(function, out, bytes, device);
        if (code != 0) throw calls.fault(function, code, "device=" + index);
    }

    static int device(GpuCalls calls, int index) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment device = arena.allocate(JAVA_INT);
            int code = calls.table.call(DriverFunction.DEVICE, device.address(), index);
            if (code != 0) throw calls.fault(DriverFunction.DEVICE, code, "index=" + index);
            return device.get(JAVA_INT, 0);
        }
    }

    static int attribute(GpuCalls calls, int device, VendorNumber number) {
        int attribute = calls.platform.number(number);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(JAVA_INT);
            int code = calls.table.call(DriverFunction.DEVICE_ATTRIBUTE, value.address(), attribute, device);
            if (code != 0) throw calls.fault(DriverFunction.DEVICE_ATTRIBUTE, code, "attribute=" + attribute);
            return value.get(JAVA_INT, 0);
        }
    }

    /// Returns the driver's UUID; for a device without a UUID, the PCI address and the machine's boot ID.
    private static String uuid(GpuCalls calls, int device, String pciId) {
        if (calls.table.has(DriverFunction.DEVICE_UUID)) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment bytes = arena.allocate(UUID_BYTES);
                int code = calls.table.call(DriverFunction.DEVICE_UUID, bytes.address(), device);
                boolean zero = bytes.mismatch(MemorySegment.ofArray(new byte[UUID_BYTES])) < 0;
                if (code == 0 && !zero) return "GPU-" + uuid(bytes);
            }
        }
        return pciId + "@" + bootId();
    }

    private static UUID uuid(MemorySegment bytes) {
        long high = 0, low = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            high = high << Byte.SIZE | bytes.get(JAVA_BYTE, i) & 0xff;
            low = low << Byte.SIZE | bytes.get(JAVA_BYTE, Long.BYTES + i) & 0xff;
        }
        return new UUID(high, low);
    }

    private static String bootId() {
        try {
            return Files.readString(BOOT_ID).strip();
        } catch (IOException e) {
            return "?";
        }
    }

    @Override
    public final DeviceDriver open(int index) {
        Discovery known = discover();
        DeviceAttributes device = known.devices().stream()
                .filter(each -> each.index() == index)
                .findFirst()
                .orElse(null);
        if (calls == null || device == null) {
            throw new DeviceFault(
                    Reason.FAILED,
                    platform.kind() + ":" + index + " does not exist; number of devices: "
                            + known.devices().size());
        }
        return new GpuDriver(calls, device, this::compiler, this::matrices);
    }

    private synchronized MatrixApi matrices() {
        if (matrices == null) matrices = MatrixApi.load(platform, loader);
        return matrices;
    }

    private synchronized RuntimeCompiler compiler() {
        if (compiler == null) compiler = RuntimeCompiler.load(platform, loader);
        return compiler;
    }
}
