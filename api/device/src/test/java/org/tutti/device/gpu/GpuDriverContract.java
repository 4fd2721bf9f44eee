package org.tutti.device.gpu;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tutti.device.info.DeviceAttributes;
import org.tutti.device.library.Attempt;
import org.tutti.device.library.DynamicLibrary;
import org.tutti.device.library.LibrarySearch;
import org.tutti.device.source.KernelSignature;
import org.tutti.device.source.KernelSource;
import org.tutti.device.source.ParameterType;
import org.tutti.device.spi.DeviceDriver;
import org.tutti.device.spi.DeviceFault;
import org.tutti.device.spi.DeviceFault.Reason;
import org.tutti.device.spi.Discovery;
import org.tutti.device.spi.InterprocessMemory;
import org.tutti.device.spi.LaunchShape;
import org.tutti.device.spi.ManagedAllocations;

/// The common behaviour of the two vendors' drivers, tested with fakes.
abstract class GpuDriverContract {
    private static final LaunchShape SHAPE = new LaunchShape(4, 1, 1, 256, 1, 1, 64);
    private static final KernelSignature SIGNATURE = new KernelSignature(
            "scale",
            List.of(
                    new KernelSignature.Parameter("n", ParameterType.INT, false, false),
                    new KernelSignature.Parameter("x", ParameterType.FLOAT, true, false)),
            1);

    final FakeGpu gpu = new FakeGpu(currentByDevice());
    final FakeLibrary library = new FakeLibrary(prototypes(), gpu);
    private final FakeCompiler compiler = new FakeCompiler();
    private final FakeLibrary compilerLibrary = new FakeLibrary(compilerPrototypes(), compiler);
    boolean compilerIsThere = true;

    abstract GpuPlatform platform();

    abstract boolean currentByDevice();

    abstract String prototypes();

    abstract String compilerPrototypes();

    /// Returns the name and number of the code.
    abstract String error(int code);

    @BeforeEach
    final void numbers() {
        gpuIs(9, 0);
        put(VendorNumber.MULTIPROCESSORS, 132);
        put(VendorNumber.THREADS_PER_BLOCK, 1024);
        put(VendorNumber.SHARED_BYTES, 49152);
        put(VendorNumber.MANAGED, 1);
    }

    private void put(VendorNumber attribute, int value) {
        gpu.attributes.put(platform().number(attribute), value);
    }

    @AfterEach
    final void nothingBroke() {
        assertThat(library.calls()).isNotNull();
        assertThat(compilerLibrary.calls()).isNotNull();
    }

    final DynamicLibrary load(LibrarySearch search) {
        boolean driver = search.equals(platform().driver());
        if (!driver && !compilerIsThere) {
            return new DynamicLibrary(null, null, List.of(new Attempt("libfake.so", "no such file")));
        }
        return new DynamicLibrary(
                driver ? library : compilerLibrary, "libfake.so", List.of(new Attempt("libfake.so", null)));
    }

    final void gpuIs(int major, int minor) {
        put(VendorNumber.MAJOR, major);
        put(VendorNumber.MINOR, minor);
    }

    private GpuBackend backend(Function<LibrarySearch, DynamicLibrary> loader) {
        return new GpuBackend(platform(), loader) {};
    }

    final GpuBackend backend() {
        return backend(this::load);
    }

    private DeviceDriver open() {
        return backend().open(0);
    }

    private String name(DriverFunction function) {
        return Objects.requireNonNull(platform().name(function), function::name);
    }

    private static List<Integer> ints(DeviceDriver driver, long address, int count) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment host = arena.allocate(JAVA_INT, count);
            driver.copyOut(DeviceDriver.DEFAULT_STREAM, host, address);
            driver.synchronize(DeviceDriver.DEFAULT_STREAM);
            List<Integer> values = new ArrayList<>();
            for (int value : host.toArray(JAVA_INT)) values.add(value);
            return values;
        }
    }

    @Test
    void tableHasEveryNameAndWidthOfTheHeader() {
        // widths differ only where CUDA passes a context (8 bytes) and HIP a device number (4 bytes)
        Prototypes.assertSame(
                prototypes(),
                DriverFunction.class,
                DriverFunction.ROWS,
                platform().kind(),
                "MAKE_CURRENT|ENABLE_PEER|COPY_PEER_ASYNC");
    }

    @Test
    void compilerTableHasEveryNameAndWidthOfTheHeader() {
        Prototypes.assertSame(
                compilerPrototypes(),
                CompilerFunction.class,
                CompilerFunction.ROWS,
                platform().kind(),
                "");
    }

    @Test
    void describesDevices() {
        Discovery found = backend().discover();
        DeviceAttributes device = found.devices().getFirst();
        assertThat(device.id()).isEqualTo(platform().kind() + ":0");
        assertThat(device.name()).isEqualTo("Fake GPU");
        assertThat(device.uuid()).isEqualTo("GPU-01020304-0506-0708-090a-0b0c0d0e0f10");
        assertThat(device.pciId()).isEqualTo("0000:41:00.0");
        assertThat(device.memoryBytes()).isEqualTo(1 << 20);
        assertThat(List.of(device.multiprocessors(), device.threadsPerBlock())).containsExactly(132, 1024);
        assertThat(device.sharedBytes()).isEqualTo(49152);
        assertThat(found.attempts()).containsExactly(new Attempt("libfake.so", null));
    }

    @Test
    void namesADeviceWithoutUuidByItsPlace() {
        gpu.uuid = new byte[16];
        assertThat(backend().discover().devices().getFirst().uuid()).startsWith("0000:41:00.0@");
    }

    @Test
    void reportsTheErrorOfADriverWithoutDevice() {
        library.fail("INIT", 100);
        Discovery found = backend().discover();
        assertThat(found.devices()).isEmpty();
        assertThat(found.attempts().getLast().what()).isEqualTo(name(DriverFunction.INIT) + "(flags=0)");
        assertThat(found.attempts().getLast().failure())
                .startsWith(error(100) + "; ")
                .contains("no GPU is visible");
        assertThatThrownBy(() -> backend().open(3))
                .hasMessage(platform().kind() + ":3 does not exist; number of devices: 1");
    }

    @Test
    void reportsThatThereAreNoDevices() {
        gpu.devices = 0;
        assertThat(backend().discover().attempts().getLast())
                .isEqualTo(new Attempt(name(DriverFunction.DEVICE_COUNT) + "()", "0 devices"));
    }

    @Test
    void reportsAMissingDriver() {
        Discovery found = backend(
                        search -> new DynamicLibrary(null, null, List.of(new Attempt("libx", "no such file"))))
                .discover();
        assertThat(found.devices()).isEmpty();
        assertThat(found.attempts())
                .extracting(Attempt::what)
                .containsExactly("libx", platform().kind());
        assertThat(found.attempts().getLast().failure()).contains("on this host");
    }

    @Test
    void reportsMissingFunctionsOfAnOldDriver() {
        library.without(name(DriverFunction.LAUNCH)).without(name(DriverFunction.EVENT_QUERY));
        assertThat(backend().discover().attempts().getLast().failure())
                .isEqualTo("libfake.so lacks " + name(DriverFunction.EVENT_QUERY) + ", " + name(DriverFunction.LAUNCH)
                        + "; install a newer version");
    }

    @Test
    void copiesThroughTheDevice() {
        try (DeviceDriver driver = open();
                Arena arena = Arena.ofShared()) {
            long first = driver.allocate(16), second = driver.allocate(16);
            driver.copyIn(DeviceDriver.DEFAULT_STREAM, first, arena.allocateFrom(JAVA_INT, 3, 1, 4, 1));
            driver.copy(DeviceDriver.DEFAULT_STREAM, second + 4, first, 12);
            driver.fill(DeviceDriver.DEFAULT_STREAM, second, 9, 4, 1);
            assertThat(ints(driver, second, 4)).containsExactly(9, 3, 1, 4);
            driver.free(first);
        }
        assertThat(gpu.leaks()).isEmpty();
    }

    @Test
    void hasManagedMemoryWhereTheHostMayReachItAtAnyTime() {
        try (DeviceDriver driver = open()) {
            ManagedAllocations managed = (ManagedAllocations) driver;
            assertThat(managed.hasManaged()).isTrue();
            long memory = managed.allocateManaged(8);
            driver.fill(DeviceDriver.DEFAULT_STREAM, memory, 3, 4, 2);
            driver.synchronize(DeviceDriver.DEFAULT_STREAM);
            assertThat(FakeLibrary.at(memory).asSlice(0, 8).toArray(JAVA_INT)).containsExactly(3, 3);
            driver.free(memory);
            assertThat(gpu.leaks()).doesNotContain("1 allocations");
            assertThatThrownBy(() -> managed.allocateManaged(1 << 21))
                    .hasMessage(name(DriverFunction.ALLOCATE_MANAGED) + "(bytes=2097152): " + error(2)
                            + "; 1048576 of 1048576 bytes are free");
            managed.allocateManaged(8); // released with the device
            put(VendorNumber.MANAGED, 0);
            assertThat(managed.hasManaged()).isFalse();
        }
        assertThat(gpu.leaks()).isEmpty();
        library.without(name(DriverFunction.ALLOCATE_MANAGED));
        put(VendorNumber.MANAGED, 1);
        try (DeviceDriver driver = open()) {
            assertThat(((ManagedAllocations) driver).hasManaged()).isFalse();
        }
    }

    @Test
    void copyFromAnotherDeviceIsOrderedAfterItsWork() {
        gpu.devices = 2;
        GpuBackend backend = backend();
        try (GpuDriver first = (GpuDriver) backend.open(0);
                GpuDriver second = (GpuDriver) backend.open(1)) {
            assertThat(second.attributes().uuid())
                    .isNotEqualTo(first.attributes().uuid());
            assertThat(second.reaches(first)).isTrue();
            assertThat(second.reaches(open())).isFalse(); // a different library
            long from = first.allocate(8), to = second.allocate(8);
            long writes = first.createStream(), copies = second.createStream();
            gpu.hold();
            first.fill(writes, from, 5, 4, 2);
            second.copyFrom(first, writes, copies, to, from, 8);
            first.fill(writes, from, 6, 4, 2); // must be ordered after the copy
            gpu.proceed();
            second.synchronize(copies);
            assertThat(ints(second, to, 2)).containsExactly(5, 5);
            second.copyFrom(first, writes, copies, to + 4, from, 4);
            second.synchronize(copies);
            assertThat(ints(second, to, 2)).containsExactly(5, 6);
            assertThat(gpu.peers).containsExactly("1 reaches 0");
            library.fail("COPY_PEER_ASYNC", 1);
            assertThatThrownBy(() -> second.copyFrom(first, writes, copies, to, from, 8))
                    .hasMessageStartingWith(name(DriverFunction.COPY_PEER_ASYNC) + "(to=0x")
                    .hasMessageEndingWith(" of " + first.attributes().id() + ", bytes=8): " + error(1));
        }
    }

    @Test
    void fillsWithPatternsOfEachWidth() {
        try (DeviceDriver driver = open()) {
            long memory = driver.allocate(64);
            driver.fill(DeviceDriver.DEFAULT_STREAM, memory, 0x1ff, 1, 4);
            driver.fill(DeviceDriver.DEFAULT_STREAM, memory + 4, 0x31234, 2, 2);
            driver.fill(DeviceDriver.DEFAULT_STREAM, memory + 8, 5, 4, 1);
            driver.fill(DeviceDriver.DEFAULT_STREAM, memory + 16, 7L << 32 | 7, 8, 1);
            driver.fill(DeviceDriver.DEFAULT_STREAM, memory + 24, 2L << 32 | 1, 8, 5);
            assertThat(ints(driver, memory, 3)).containsExactly(-1, 0x12341234, 5);
            assertThat(ints(driver, memory + 16, 12)).containsExactly(7, 7, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2);
        }
    }

    @Test
    void workIsDoneAfterTheCall() {
        try (DeviceDriver driver = open()) {
            long memory = driver.allocate(4), stream = driver.createStream(), other = driver.createStream();
            gpu.hold();
            driver.fill(stream, memory, 1, 4, 1);
            long event = driver.record(stream);
            driver.await(other, event);
            long after = driver.record(other);
            assertThat(driver.isComplete(event)).isFalse();
            assertThat(driver.isComplete(after)).isFalse();
            gpu.proceed();
            driver.synchronizeEvent(after);
            assertThat(driver.isComplete(event)).isTrue();
            driver.releaseEvent(event);
            driver.releaseEvent(after);
            library.forgetCalls();
            assertThat(driver.record(stream)).isEqualTo(after);
            assertThat(library.calls())
                    .containsExactly(name(DriverFunction.MAKE_CURRENT), name(DriverFunction.EVENT_RECORD));
            driver.synchronize(stream);
            driver.destroyStream(stream);
        }
        assertThat(gpu.leaks()).isEmpty();
    }

    @Test
    void virtualThreadsPollAndDoNotBlock() throws InterruptedException {
        try (DeviceDriver driver = open()) {
            long memory = driver.allocate(4);
            gpu.hold();
            driver.fill(DeviceDriver.DEFAULT_STREAM, memory, 1, 4, 1);
            Thread waiting = Thread.ofVirtual().start(() -> driver.synchronize(DeviceDriver.DEFAULT_STREAM));
            while (!library.calls().contains(name(DriverFunction.STREAM_QUERY))) Thread.onSpinWait();
            gpu.proceed();
            waiting.join();
            assertThat(library.calls()).doesNotContain(name(DriverFunction.STREAM_SYNCHRONIZE));
        }
    }

    @Test
    void makesTheDeviceCurrentInEachThread() throws InterruptedException {
        try (DeviceDriver driver = open()) {
            Thread other = new Thread(() -> driver.free(driver.allocate(8)));
            other.start();
            other.join();
            assertThat(library.calls())
                    .endsWith(
                            name(DriverFunction.MAKE_CURRENT),
                            name(DriverFunction.ALLOCATE),
                            name(DriverFunction.MAKE_CURRENT),
                            name(DriverFunction.FREE));
        }
    }

    @Test
    void reportsFreeMemoryWhenOutOfMemory() {
        try (DeviceDriver driver = open()) {
            driver.allocate(1 << 19);
            assertFault(
                    () -> driver.allocate(1 << 20),
                    Reason.NO_MEMORY,
                    name(DriverFunction.ALLOCATE) + "(bytes=1048576): " + error(2)
                            + "; 524288 of 1048576 bytes are free");
        }
    }

    private static void assertFault(ThrowingCallable call, Reason reason, String message) {
        assertThatThrownBy(call)
                .asInstanceOf(InstanceOfAssertFactories.type(DeviceFault.class))
                .satisfies(fault -> assertThat(fault.reason()).isEqualTo(reason))
                .satisfies(fault -> assertThat(fault.getMessage()).isEqualTo(message));
    }

    @Test
    void refusesToFreeTwice() {
        try (DeviceDriver driver = open()) {
            long memory = driver.allocate(16);
            driver.free(memory);
            assertFault(
                    () -> driver.free(memory),
                    Reason.FAILED,
                    name(DriverFunction.FREE) + "(address=0x" + Long.toHexString(memory) + "): " + error(1));
        }
    }

    @Test
    void givesAllBackAtTheEnd() {
        DeviceDriver driver = open();
        driver.allocate(16);
        driver.allocateHost(16);
        driver.releaseEvent(driver.record(driver.createStream()));
        driver.record(DeviceDriver.DEFAULT_STREAM);
        driver.load("FAKE".getBytes(StandardCharsets.UTF_8));
        assertThat(gpu.leaks()).hasSize(6);
        driver.close();
        assertThat(gpu.leaks()).isEmpty();
    }

    @Test
    void goesOnGivingBackAfterAFailure() {
        DeviceDriver driver = open();
        driver.allocateHost(16);
        driver.createStream();
        library.fail("HOST_FREE", 1);
        assertFault(driver::close, Reason.FAILED, name(DriverFunction.HOST_FREE) + "(): " + error(1));
        assertThat(gpu.leaks()).containsExactly("1 host allocations");
    }

    @Test
    void aLostDeviceIsLostInEveryCallAndClosesQuietly() {
        DeviceDriver driver = open();
        long memory = driver.allocate(16);
        gpu.lost = 700;
        assertThatThrownBy(() -> driver.fill(DeviceDriver.DEFAULT_STREAM, memory, 0, 1, 4))
                .hasMessageContaining(error(700) + "; an earlier kernel used an address outside")
                .asInstanceOf(InstanceOfAssertFactories.type(DeviceFault.class))
                .satisfies(fault -> assertThat(fault.reason()).isEqualTo(Reason.LOST));
        assertThatThrownBy(() -> driver.allocate(4)).hasMessageContaining(error(700));
        driver.close();
    }

    @Test
    void passesHandlesOfOtherProcessesByValue() {
        try (DeviceDriver driver = open()) {
            InterprocessMemory memory = (InterprocessMemory) driver;
            long address = driver.allocate(128);
            InterprocessMemory.Exported exported = memory.export(address + 40);
            assertThat(exported.offset()).isEqualTo(40);
            assertThat(exported.handle()).hasSize(64);
            long opened = memory.open(exported.handle());
            assertThat(opened).isEqualTo(address);
            memory.close(opened);
            assertThat(library.calls()).contains(name(DriverFunction.IPC_CLOSE));
        }
    }

    @Test
    void reportsThatALibraryCannotShareMemory() {
        library.without(name(DriverFunction.IPC_OPEN));
        try (DeviceDriver driver = open()) {
            assertFault(
                    () -> ((InterprocessMemory) driver).open(new byte[64]),
                    Reason.UNSUPPORTED,
                    "libfake.so lacks " + name(DriverFunction.IPC_OPEN) + "; install a newer version");
        }
    }

    private static KernelSource source(String text) {
        return new KernelSource(text, List.of(SIGNATURE));
    }

    @Test
    void compilesLoadsAndLaunches() {
        try (DeviceDriver driver = open()) {
            byte[] binary = driver.compile(source("scale"), List.of("-D N=4"));
            assertThat(new String(binary, StandardCharsets.UTF_8)).isEqualTo("FAKECODE\0");
            assertThat(compiler.source).isEqualTo("#line 1 \"kernel.cu\"\nscale");
            assertThat(compiler.options).contains("-DN=4");
            assertThat(compiler.programs).isZero();
            long module = driver.load(binary);
            long function = driver.function(module, "scale");
            driver.launch(DeviceDriver.DEFAULT_STREAM, function, SIGNATURE, new long[] {7, 0xabcdef0123L}, SHAPE);
            driver.synchronize(DeviceDriver.DEFAULT_STREAM);
            assertThat(gpu.launches)
                    .containsExactly(new FakeGpu.Launch("scale", List.of(4, 1, 1, 256, 1, 1, 64), 0, 7, 0xabcdef0123L));
            driver.unload(module);
        }
        assertThat(gpu.leaks()).isEmpty();
    }

    @Test
    void passesAnyNumberOfArguments() {
        long[] values = new long[100];
        for (int i = 0; i < values.length; i++) values[i] = (long) i * i;
        MemorySegment pointers = LaunchArguments.of(values);
        for (int i = 0; i < values.length; i++) {
            long at = pointers.getAtIndex(JAVA_LONG, i);
            assertThat(MemorySegment.ofAddress(at).reinterpret(8).get(JAVA_LONG, 0))
                    .isEqualTo(values[i]);
        }
    }

    @Test
    void invalidSourceIsReportedWithTheLog() {
        try (DeviceDriver driver = open()) {
            assertFault(() -> driver.compile(source("oops"), List.of()), Reason.COMPILE, FakeCompiler.LOG.strip());
            assertThat(compiler.programs).isZero();
        }
    }

    @Test
    void reportsOtherErrorsOfTheCompiler() {
        compilerLibrary.fail("COMPILE", 5);
        try (DeviceDriver driver = open()) {
            assertThatThrownBy(() -> driver.compile(source("scale"), List.of("--nonsense")))
                    .hasMessageContaining("[--nonsense")
                    .hasMessageContaining("_ERROR_INVALID_OPTION (5)");
        }
    }

    @Test
    void reportsAMissingCompiler() {
        compilerIsThere = false;
        try (DeviceDriver driver = open()) {
            assertFault(
                    () -> driver.compile(source("scale"), List.of()),
                    Reason.UNSUPPORTED,
                    "no " + platform().compilerName() + " for compiling kernels; tried\n  libfake.so: no such file\n"
                            + "install it, or set the path with -D"
                            + platform().compiler().property() + "=…");
        }
    }

    @Test
    void reportsAnInvalidModuleAndFunction() {
        try (DeviceDriver driver = open()) {
            assertThatThrownBy(() -> driver.load(new byte[] {1, 2, 3, 4})).hasMessageContaining(error(200));
            long module = driver.load("FAKE".getBytes(StandardCharsets.UTF_8));
            assertFault(
                    () -> driver.function(module, "missing"),
                    Reason.NO_FUNCTION,
                    name(DriverFunction.MODULE_FUNCTION) + "(name=missing): " + error(500));
        }
    }

    @Test
    void reportsTheMaximumOfThreadsPerBlock() {
        try (DeviceDriver driver = open()) {
            long function = driver.function(driver.load("FAKE".getBytes(StandardCharsets.UTF_8)), "scale");
            LaunchShape large = new LaunchShape(1, 1, 1, 2048, 1, 1, 0);
            assertThatThrownBy(() -> driver.launch(0, function, SIGNATURE, new long[] {1, 2}, large))
                    .hasMessageStartingWith(name(DriverFunction.LAUNCH) + "(scale(int n, float* x), ")
                    .hasMessageEndingWith(error(701) + "; a block of this kernel may have 512 threads, not 2048");
        }
    }

    @Test
    void everyCodeHasASentenceAndAReason() {
        GpuCalls calls = new GpuCalls(platform(), "libfake.so", library);
        for (int code : new int[] {1, 2, 3, 100, 101, 200, 209, 400, 500, 600, 700, 719, 801, 999}) {
            assertThat(calls.fault(DriverFunction.FREE, code, "").getMessage())
                    .startsWith(name(DriverFunction.FREE) + "(): " + error(code));
        }
        assertThat(calls.text(12345)).isEqualTo("error 12345");
        assertThat(calls.fault(DriverFunction.FREE, 719, "").reason()).isEqualTo(Reason.LOST);
        assertThat(calls.fault(DriverFunction.FREE, 801, "").reason()).isEqualTo(Reason.UNSUPPORTED);
        assertThat(calls.fault(DriverFunction.FREE, 500, "").reason()).isEqualTo(Reason.FAILED);
    }

    @Test
    void pinnedMemoryIsWritable() {
        try (DeviceDriver driver = open()) {
            MemorySegment host = driver.allocateHost(32);
            host.fill((byte) 3);
            assertThat(host.byteSize()).isEqualTo(32);
            assertThat(host.get(JAVA_BYTE, 31)).isEqualTo((byte) 3);
            driver.freeHost(host);
        }
    }

    @Test
    void deviceThatCannotBeDescribedHidesNoOther() {
        gpu.devices = 3;
        FakeLibrary partly = new FakeLibrary(
                prototypes(),
                (row, a) -> row.equals("DEVICE_NAME") && (int) a[2] == gpu.device + 1 ? 999 : gpu.call(row, a));
        GpuBackend backend = backend(search -> new DynamicLibrary(partly, "libfake.so", List.of()));
        Discovery found = backend.discover();
        String kind = platform().kind();
        assertThat(found.devices()).extracting(DeviceAttributes::id).containsExactly(kind + ":0", kind + ":2");
        assertThat(found.attempts()).singleElement().satisfies(attempt -> {
            assertThat(attempt.what()).isEqualTo(kind + ":1");
            assertThat(attempt.failure()).contains("(device=1): " + error(999));
        });
        try (DeviceDriver last = backend.open(2)) {
            assertThat(last.attributes().index()).isEqualTo(2);
        }
        assertThatThrownBy(() -> backend.open(1)).hasMessage(kind + ":1 does not exist; number of devices: 2");
    }
}
