package org.tutti.device.opencl;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.UUID;
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
import org.tutti.device.table.FunctionTable;

/// All devices of all platforms known to the OpenCL loader.
public final class OpenClBackend implements DeviceBackend {
    private static final LibrarySearch LIBRARY =
            new LibrarySearch("tutti.device.lib.opencl", List.of("libOpenCL.so.1"));
    private static final long ALL_TYPES = 0xFFFFFFFFL;
    private static final int UUID_BYTES = 16;
    private static final long NULL = 0, SVM_OF_FINE_GRAIN = 1 << 1;
    private static final int PCI_INTS = 4;

    /// The queries of platforms and devices, with the numbers of `CL/cl.h`.
    private static final int PLATFORM_VERSION = 0x0901,
            PLATFORM_NAME = 0x0902,
            COMPUTE_UNITS = 0x1002,
            GROUP_SIZE = 0x1004,
            GLOBAL_BYTES = 0x101F,
            LOCAL_BYTES = 0x1023,
            COMPILER_AVAILABLE = 0x1028,
            NAME = 0x102B,
            DRIVER_VERSION = 0x102D,
            VERSION = 0x102F,
            SVM = 0x1053,
            DEVICE_UUID = 0x106A,
            PCI = 0x410F;

    /// A usable device.
    private record Found(long handle, DeviceAttributes attributes, boolean hasManaged) {}

    private final List<Found> found = new ArrayList<>();
    private @Nullable FunctionTable<OpenClFunction> api;
    private @Nullable Discovery discovery;

    @Override
    public String kind() {
        return "opencl";
    }

    @Override
    public int order() {
        return 100; // after the vendor-specific backends
    }

    @Override
    public synchronized Discovery discover() {
        if (discovery == null) discovery = JvmSignals.kept(this::search);
        return discovery;
    }

    private Discovery search() {
        DynamicLibrary library = DynamicLibrary.find(LIBRARY);
        List<Attempt> attempts = new ArrayList<>(library.attempts());
        if (library.symbols() != null) {
            try {
                api = OpenClFunction.bind(String.valueOf(library.path()), library.symbols());
                platforms(api, attempts);
            } catch (NoSuchElementException e) {
                attempts.add(new Attempt("functions of OpenCL 2.0", e.getMessage()));
            }
        }
        return new Discovery(found.stream().map(Found::attributes).toList(), attempts);
    }

    @Override
    public synchronized DeviceDriver open(int index) {
        discover();
        FunctionTable<OpenClFunction> cl = api;
        if (cl == null || index >= found.size()) {
            throw new DeviceFault(
                    Reason.FAILED, "device number " + index + " does not exist; number of devices: " + found.size());
        }
        Found one = found.get(index);
        return JvmSignals.kept(() -> new OpenClDriver(cl, one.handle(), one.attributes(), one.hasManaged()));
    }

    private void platforms(FunctionTable<OpenClFunction> cl, List<Attempt> attempts) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(JAVA_INT);
            int error = cl.call(OpenClFunction.GET_PLATFORM_IDS, 0, NULL, count.address());
            if (error != OpenClError.SUCCESS) {
                String advice = error == OpenClError.PLATFORM_NOT_FOUND
                        ? ": no driver is registered in /etc/OpenCL/vendors; install one, for example pocl-opencl-icd"
                        : "";
                attempts.add(new Attempt("clGetPlatformIDs", OpenClError.name(error) + advice));
                return;
            }
            MemorySegment platforms = arena.allocate(JAVA_LONG, count.get(JAVA_INT, 0));
            cl.call(OpenClFunction.GET_PLATFORM_IDS, count.get(JAVA_INT, 0), platforms.address(), NULL);
            for (int i = 0; i < count.get(JAVA_INT, 0); i++) {
                devices(cl, platforms.getAtIndex(JAVA_LONG, i), attempts);
            }
        }
    }

    private void devices(FunctionTable<OpenClFunction> cl, long platform, List<Attempt> attempts) {
        try (Arena arena = Arena.ofConfined()) {
            Question ask = (name, size, value, got) ->
                    cl.call(OpenClFunction.GET_PLATFORM_INFO, platform, name, size, value.address(), got.address());
            String text = "platform " + text(ask, PLATFORM_NAME) + ", " + text(ask, PLATFORM_VERSION);
            MemorySegment count = arena.allocate(JAVA_INT);
            int error = cl.call(OpenClFunction.GET_DEVICE_IDS, platform, ALL_TYPES, 0, NULL, count.address());
            attempts.add(new Attempt(text, error == OpenClError.SUCCESS ? null : OpenClError.name(error)));
            if (error != OpenClError.SUCCESS) return;
            MemorySegment devices = arena.allocate(JAVA_LONG, count.get(JAVA_INT, 0));
            cl.call(
                    OpenClFunction.GET_DEVICE_IDS,
                    platform,
                    ALL_TYPES,
                    count.get(JAVA_INT, 0),
                    devices.address(),
                    NULL);
            for (int i = 0; i < count.get(JAVA_INT, 0); i++) {
                device(cl, devices.getAtIndex(JAVA_LONG, i), text + " #" + i, attempts);
            }
        }
    }

    private void device(FunctionTable<OpenClFunction> cl, long device, String place, List<Attempt> attempts) {
        Question ask = (name, size, value, got) ->
                cl.call(OpenClFunction.GET_DEVICE_INFO, device, name, size, value.address(), got.address());
        String name = text(ask, NAME);
        long svm = number(ask, SVM, JAVA_LONG.byteSize());
        String missing = svm == 0
                ? "has no shared virtual memory, which is required"
                : number(ask, COMPILER_AVAILABLE, JAVA_INT.byteSize()) == 0 ? "has no compiler" : null;
        if (missing != null) {
            attempts.add(new Attempt(place + ": " + name, missing));
            return;
        }
        byte[] uuid = bytes(ask, DEVICE_UUID, UUID_BYTES);
        found.add(new Found(
                device,
                new DeviceAttributes(
                        kind(),
                        found.size(),
                        name,
                        uuid == null
                                ? UUID.nameUUIDFromBytes((place + name).getBytes(StandardCharsets.UTF_8))
                                        .toString()
                                : HexFormat.of().formatHex(uuid),
                        number(ask, GLOBAL_BYTES, JAVA_LONG.byteSize()),
                        pci(ask),
                        name,
                        (int) number(ask, COMPUTE_UNITS, JAVA_INT.byteSize()),
                        (int) number(ask, GROUP_SIZE, JAVA_LONG.byteSize()),
                        number(ask, LOCAL_BYTES, JAVA_LONG.byteSize()),
                        place + ", " + text(ask, VERSION) + ", driver " + text(ask, DRIVER_VERSION)),
                (svm & SVM_OF_FINE_GRAIN) != 0));
    }

    /// A query function: `clGetPlatformInfo` or `clGetDeviceInfo`.
    private interface Question {
        int ask(int name, long size, MemorySegment value, MemorySegment sizeRet);
    }

    private static String text(Question question, int name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment size = arena.allocate(JAVA_LONG);
            if (question.ask(name, 0, MemorySegment.NULL, size) != OpenClError.SUCCESS) return "?";
            MemorySegment text = arena.allocate(size.get(JAVA_LONG, 0) + 1);
            if (question.ask(name, text.byteSize(), text, MemorySegment.NULL) != OpenClError.SUCCESS) return "?";
            return text.getString(0).strip();
        }
    }

    /// Returns the result of a query; null if the device does not support the query.
    private static byte @Nullable [] bytes(Question question, int name, long size) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(size, JAVA_LONG.byteAlignment());
            int error = question.ask(name, size, value, MemorySegment.NULL);
            return error == OpenClError.SUCCESS ? value.toArray(ValueLayout.JAVA_BYTE) : null;
        }
    }

    /// Returns the number that is the result of a query; 0 if the device does not support the query.
    private static long number(Question question, int name, long size) {
        byte[] value = bytes(question, name, size);
        if (value == null) return 0;
        MemorySegment segment = MemorySegment.ofArray(value);
        return size == JAVA_INT.byteSize()
                ? segment.get(ValueLayout.JAVA_INT_UNALIGNED, 0)
                : segment.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
    }

    private static @Nullable String pci(Question question) {
        byte[] value = bytes(question, PCI, PCI_INTS * JAVA_INT.byteSize());
        if (value == null) return null;
        int[] of = MemorySegment.ofArray(value).toArray(ValueLayout.JAVA_INT_UNALIGNED);
        return String.format("%04x:%02x:%02x.%x", of[0], of[1], of[2], of[3]);
    }
}
