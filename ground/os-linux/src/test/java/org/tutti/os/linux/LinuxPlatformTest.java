package org.tutti.os.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.OsPlatform;
import org.tutti.job.os.OutputPipe;
import org.tutti.job.os.PortablePlatform;
import org.tutti.job.os.SharedMemoryAccess;

@EnabledOnOs(OS.LINUX)
@Timeout(600)
class LinuxPlatformTest {
    private static final long MILLI = 1_000_000;

    /// The duration of a sleep that tests must end early, by a wake-up.
    private static final long LONG_SLEEP = TimeUnit.SECONDS.toNanos(300);

    private final LinuxPlatform platform = new LinuxPlatform();

    @Test
    void isUsableWithNativeAccess() {
        assertThat(platform.usable()).isTrue();
    }

    @Test
    void copiesFromTheHeapOnly() throws InterruptedException {
        byte[] bytes = new byte[10_000];
        for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) (i * 31);
        MemorySegment heap = MemorySegment.ofArray(bytes);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment to = arena.allocate(10_000),
                    source = arena.allocate(10_000).copyFrom(heap);
            untilLinked(to);
            to.fill((byte) 1);
            assertThat(platform.copy(heap, 5, to, 7, 8192)).isTrue();
            assertThat(to.asSlice(7, 8192).mismatch(heap.asSlice(5, 8192))).isEqualTo(-1);
            assertThat(to.get(ValueLayout.JAVA_BYTE, 6)).isEqualTo((byte) 1);
            assertThat(to.get(ValueLayout.JAVA_BYTE, 7 + 8192)).isEqualTo((byte) 1);
            assertThat(platform.copy(source, 100, to, 0, 9900)).isFalse();
        }
    }

    @Test
    void refusesToCopyOutsideOfTheFile() throws Exception {
        Arena closed = Arena.ofShared();
        MemorySegment freed = closed.allocate(10_000);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment to = arena.allocate(10_000);
            untilLinked(to);
            MemorySegment heap = MemorySegment.ofArray(new byte[10_000]);
            assertThatThrownBy(() -> platform.copy(heap, 5000, to, 0, 5001))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> platform.copy(heap, 0, to, 5000, 5001))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            closed.close();
            assertThatThrownBy(() -> platform.copy(heap, 0, freed, 0, 10_000))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    /// If a process truncated the file, the copy in native code would end this process.
    @Test
    void leavesMappedFilesToJava() throws Exception {
        Path file = Files.createTempFile("tutti", ".bin");
        try (Arena arena = Arena.ofShared();
                FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment to = arena.allocate(8192);
            untilLinked(to);
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, 8192, arena);
            assertThat(platform.copy(mapped, 0, to, 0, 8192)).isFalse();
            assertThat(platform.copy(mapped.asSlice(4096), 0, to, 0, 4096)).isFalse();
        } finally {
            Files.delete(file);
        }
    }

    /// Copies so often that each JIT compiler compiles the copy, because a fault in compiled code is thrown
    /// later.
    @Test
    void refusesToCopyToTruncatedFiles() throws Exception {
        int bytes = 20_000;
        Path file = Files.createTempFile("tutti", ".bin");
        try (Arena arena = Arena.ofShared();
                FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment to = arena.allocate(bytes);
            untilLinked(to);
            MemorySegment heap = MemorySegment.ofArray(new byte[bytes]);
            ByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes);
            MemorySegment shared = MemorySegment.ofBuffer(mapped);
            // Java does not know that this memory is part of a file
            MemorySegment view = MemorySegment.ofBuffer(mapped.asIntBuffer());
            assertThat(view.isMapped()).isFalse();
            assertThat(platform.copy(view, 0, to, 0, bytes)).isFalse();
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 20_000; i++) {
                    assertThat(platform.copy(heap, 0, shared, 0, bytes)).isTrue();
                }
                channel.truncate(0);
                assertThatThrownBy(() -> platform.copy(heap, 0, shared, 0, bytes))
                        .isInstanceOf(InternalError.class);
                channel.write(ByteBuffer.allocate(bytes), 0);
            }
        } finally {
            Files.delete(file);
        }
    }

    private void untilLinked(MemorySegment to) throws InterruptedException {
        MemorySegment one = MemorySegment.ofArray(new byte[] {1});
        while (!platform.copy(one, 0, to, 0, 1)) Thread.sleep(1);
    }

    /// The values of a segment are accessed through a second segment, which covers the complete address space.
    /// [SharedMemoryAccess] must therefore check the bounds of the first segment itself: the memory beyond
    /// these bounds is in use for other purposes.
    @Test
    void valuesAreAccessedThroughAllMemory() {
        assertThat(OsPlatform.open().allMemory()).isNotNull();
        MemorySegment segment = Arena.ofAuto().allocate(64, 8);
        SharedMemoryAccess words = new SharedMemoryAccess(segment);
        words.setLong(8, 5);
        words.addLong(8, 2);
        assertThat(words.compareAndSetLong(8, 7, 9)).isTrue();
        words.setIntRelease(60, 3);
        assertThat(segment.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(9);
        assertThat(segment.get(ValueLayout.JAVA_INT, 60)).isEqualTo(3);
        assertThatThrownBy(() -> words.setLong(64, 1)).hasMessage("8 bytes at 64 of 64");
        assertThatThrownBy(() -> words.getInt(-4)).hasMessage("4 bytes at -4 of 64");
    }

    @Test
    void pagesThatAreReleasedAreTheSystemsAgain() throws Exception {
        long bytes = 1 << 20;
        try (JobFile file = platform.createFile("tutti-test", 4 * bytes)) {
            MemorySegment all = file.map(0, 4 * bytes, Arena.ofAuto());
            all.fill((byte) 1);
            assertThat(blocks(file)).isEqualTo(4 * bytes / 512);
            platform.release(all.asSlice(bytes, bytes));
            // if a page has 64 KiB, pages that are only partly released remain
            long left = blocks(file);
            assertThat(left).isBetween(3 * bytes / 512, 3 * bytes / 512 + 2 * 128);
            platform.release(all.asSlice(5, 5000));
            assertThat(blocks(file)).isEqualTo(left);
            assertThat(all.get(ValueLayout.JAVA_BYTE, bytes + bytes / 2)).isZero();
            assertThat(all.get(ValueLayout.JAVA_BYTE, bytes - 1)).isEqualTo((byte) 1);
            assertThat(all.get(ValueLayout.JAVA_BYTE, 2 * bytes)).isEqualTo((byte) 1);
        }
    }

    /// The pid may be reused by the time of the signal.
    @Test
    void noProcessIsStartedToSignalATerminatedOne() throws Exception {
        Process ended = new ProcessBuilder("true").start();
        ended.waitFor();
        for (OsPlatform each : List.of(platform, new PortablePlatform())) {
            long before = faultsOfChildren();
            each.signal(ended.pid(), 1);
            assertThat(faultsOfChildren()).as(each.name()).isEqualTo(before);
        }
    }

    @Test
    void aSignalArrives() throws Exception {
        for (OsPlatform each : List.of(platform, new PortablePlatform())) {
            Process sleeps = new ProcessBuilder("sleep", "300").start();
            each.signal(sleeps.pid(), 9);
            assertThat(sleeps.waitFor()).as(each.name()).isEqualTo(128 + 9);
        }
    }

    /// Returns the page faults of all child processes that have ended.
    private static long faultsOfChildren() throws IOException {
        String stat = Files.readString(Path.of("/proc/self/stat"), StandardCharsets.ISO_8859_1);
        return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[8]);
    }

    /// Returns the allocated size of the file, in blocks of 512 bytes.
    private static long blocks(JobFile file) throws Exception {
        Process stat = new ProcessBuilder("stat", "-L", "-c", "%b", file.path()).start();
        return Long.parseLong(new String(stat.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip());
    }

    @Test
    void aViewLivesAsLongAsItsArena() {
        MemorySegment memory = Arena.ofAuto().allocate(64, 8);
        Arena arena = Arena.ofShared();
        MemorySegment view = platform.view(memory, arena);
        view.set(ValueLayout.JAVA_LONG, 8, 7);
        arena.close();
        assertThatThrownBy(() -> view.get(ValueLayout.JAVA_LONG, 8)).isInstanceOf(IllegalStateException.class);
        assertThat(memory.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(7);
    }

    /// Memory is unmapped only after the memory and all views have become unreachable.
    @Test
    void aViewKeepsTheMemoryThatItIsOf() {
        MemorySegment memory = Arena.ofAuto().allocate(64, 8);
        WeakReference<MemorySegment> there = new WeakReference<>(memory);
        MemorySegment view = platform.view(memory, Arena.ofShared());
        memory = view;
        WeakReference<Object> freed = new WeakReference<>(new Object());
        while (freed.get() != null) System.gc();
        assertThat(there.get()).isNotNull();
        assertThat(memory.get(ValueLayout.JAVA_LONG, 0)).isZero();
    }

    /// Linking is delayed, so that a process with a short lifetime avoids the cost. After the delay, the
    /// process can sleep.
    @Test
    void canSleepSoon() {
        while (!platform.canSleep()) Thread.onSpinWait();
    }

    @Test
    void canSleepOnceACallIsLinked() {
        Syscall.call(Syscall.GETPPID, 0, 0);
        assertThat(platform.canSleep()).isTrue();
    }

    @Test
    void sharesAFileThatIsLargeZeroAndHasNoName() throws Exception {
        try (JobFile mine = platform.createFile("test", JobFile.BYTES);
                JobFile other = JobFile.attach(mine.path());
                Arena arena = Arena.ofConfined()) {
            long far = JobFile.BYTES - 4096;
            MemorySegment here = mine.map(far, 4096, arena), there = other.map(far, 4096, arena);
            assertThat(there.get(ValueLayout.JAVA_LONG, 8)).isZero();
            here.set(ValueLayout.JAVA_LONG, 8, 42);
            assertThat(there.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(42);
            assertThat(Files.readSymbolicLink(Path.of(mine.path())).toString()).isEqualTo("/memfd:test (deleted)");
        }
    }

    /// The body of a test in which a sandbox refuses a call.
    private interface Refused {
        @Nullable
        Object result(Arena arena) throws Exception;
    }

    /// Runs the body in a thread that ends with the test. In this thread, the kernel refuses the call `number`
    /// with EPERM. If `argument` is the index of an argument, the kernel refuses only calls in which this
    /// argument is 0 or 1; if `argument` is -1, the kernel refuses all calls.
    private static @Nullable Object where(long number, int argument, Refused body) throws InterruptedException {
        AtomicReference<@Nullable Object> result = new AtomicReference<>();
        Thread sandboxed = Thread.ofPlatform().start(() -> {
            try (Arena arena = Arena.ofConfined()) {
                refuse(arena, number, argument);
                result.set(body.result(arena));
            } catch (Throwable t) {
                result.set(t);
            }
        });
        sandboxed.join();
        return result.get();
    }

    /// A seccomp filter: instructions of 8 bytes, each with a code, two jumps and an operand.
    private static void refuse(Arena arena, long number, int argument) {
        long skipToEnd = argument < 0 ? 1 : 3, refuse = 0x06 | (0x50000L | 1) << 32, allow = 0x06 | 0x7fff0000L << 32;
        long[] head = {0x20, 0x15 | skipToEnd << 24 | number << 32}; // load the number; if different, jump to the end
        long[] ofArgument = {0x20 | (16L + 8L * argument) << 32, 0x25 | 1L << 16 | 1L << 32
        }; // load; skip one if above 1
        LongStream.Builder program = LongStream.builder();
        for (long instruction : head) program.add(instruction);
        if (argument >= 0) for (long instruction : ofArgument) program.add(instruction);
        long[] all = program.add(refuse).add(allow).build().toArray();
        MemorySegment header = arena.allocate(16, 8);
        header.set(ValueLayout.JAVA_SHORT, 0, (short) all.length);
        header.set(ValueLayout.ADDRESS, 8, arena.allocateFrom(ValueLayout.JAVA_LONG, all));
        int noNewPrivileges = 38, seccomp = 22, filter = 2;
        assertThat(Syscall.call(Syscall.PRCTL, noNewPrivileges, 1)).isZero();
        assertThat(Syscall.call(Syscall.PRCTL, seccomp, filter, header.address()))
                .isZero();
    }

    @Test
    void takesAnotherFileWhereMemfdIsRefused() throws Exception {
        Object result = where(Syscall.MEMFD_CREATE, -1, arena -> {
            try (JobFile mine = platform.createFile("test", JobFile.BYTES);
                    JobFile other = JobFile.attach(mine.path())) {
                mine.map(4096, 4096, arena).set(ValueLayout.JAVA_LONG, 8, 42);
                return other.map(4096, 4096, arena).get(ValueLayout.JAVA_LONG, 8);
            }
        });
        assertThat(result).isEqualTo(42L);
    }

    @Test
    void reportsAFileOfAnImpossibleSize() throws Exception {
        assertThat(where(Syscall.FTRUNCATE, -1, arena -> platform.createFile("test", 4096)))
                .isInstanceOf(IOException.class)
                .hasToString("java.io.IOException: a shared file of 4096 bytes exceeds the limit of this process"
                        + " (ulimit -f)");
    }

    @Test
    void refusedCallsThatAreNotNecessaryDoNoHarm() throws Exception {
        assertThat(where(Syscall.PIPE2, -1, arena -> platform.createPipe())).isNull();
        assertThat(where(Syscall.MADVISE, -1, arena -> {
                    MemorySegment memory = arena.allocate(1 << 18, 1 << 16);
                    memory.set(ValueLayout.JAVA_LONG, 1 << 16, 42);
                    platform.release(memory);
                    return memory.get(ValueLayout.JAVA_LONG, 1 << 16);
                }))
                .isEqualTo(42L);
        assertThat(where(Syscall.SCHED_SETAFFINITY, -1, arena -> {
                    BitSet first = new BitSet();
                    first.set(0);
                    platform.bindThread(first);
                    return null;
                }))
                .isInstanceOf(IOException.class);
        assertThat(where(Syscall.GETPPID, -1, arena -> LinuxPlatform.parent()))
                .isEqualTo(ProcessHandle.current().parent().orElseThrow().pid());
    }

    /// A sleep that is refused returns immediately. The platform must pause nevertheless, so that a waiting
    /// rank does not occupy a core.
    @Test
    void pausesWhereFutexIsRefused() throws Exception {
        Object sleeps = where(Syscall.FUTEX, 1, arena -> {
            MemorySegment memory = arena.allocate(64, 8);
            long sleepsUntilTimeIsOver = 0, began = System.nanoTime();
            while (System.nanoTime() - began < 200 * MILLI) {
                platform.sleep(memory, 0, 0, LONG_SLEEP);
                sleepsUntilTimeIsOver++;
            }
            return sleepsUntilTimeIsOver;
        });
        assertThat((Long) sleeps).isLessThanOrEqualTo(200);
        assertThat(platform.canSleep()).isFalse();
        assertThat(platform.canWake()).isFalse();
    }

    /// A process that only wakes other processes must detect the refusal, too.
    @Test
    void detectsARefusedWake() throws Exception {
        assertThat(platform.canWake()).isTrue();
        where(Syscall.FUTEX, 1, arena -> {
            platform.wake(arena.allocate(64, 8), 0);
            return null;
        });
        assertThat(platform.canWake()).isFalse();
    }

    @Test
    void pollsTheParentIfTheDeathSignalIsRefused() throws Exception {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        where(Syscall.PRCTL, 0, arena -> {
            platform.dieWithParent(
                    ProcessHandle.current().parent().orElseThrow().pid());
            return null;
        });
        Thread watch = Thread.getAllStackTraces().keySet().stream()
                .filter(t -> !before.contains(t) && t.getName().equals("tutti-parent-watch"))
                .findAny()
                .orElseThrow();
        Thread.sleep(700); // the thread first pauses, so that short processes need not link the call
        for (int i = 0; i < 20; i++) {
            assertThat(watch.getState()).isNotEqualTo(Thread.State.WAITING);
            Thread.sleep(5);
        }
        assertThat(watch.isAlive()).isTrue();
    }

    @Test
    void aPipeIsOpenedByItsPath() throws Exception {
        OutputPipe pipe = platform.createPipe();
        assertThat(pipe).isNotNull();
        try (var in = pipe.in()) {
            Process writer = new ProcessBuilder("sh", "-c", "echo one >" + pipe.path() + "; echo two >" + pipe.path())
                    .inheritIO()
                    .start();
            assertThat(writer.waitFor()).isZero();
            pipe.seal().run();
            pipe.seal().run();
            assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("one\ntwo\n");
        }
    }

    @Test
    void closesItsDescriptorWithTheFile() throws Exception {
        JobFile file = platform.createFile("test", 4096);
        file.close();
        assertThat(Path.of(file.path())).doesNotExist();
    }

    @Test
    void sleepsUntilTheTimeIsOver() throws Exception {
        try (JobFile file = platform.createFile("test", 4096);
                Arena arena = Arena.ofConfined()) {
            MemorySegment memory = file.map(0, 4096, arena);
            long start = System.nanoTime();
            platform.sleep(memory, 64, 0, 50 * MILLI);
            assertThat(System.nanoTime() - start).isGreaterThan(40 * MILLI);
        }
    }

    @Test
    void doesNotSleepOnAnotherValue() throws Exception {
        try (JobFile file = platform.createFile("test", 4096);
                Arena arena = Arena.ofConfined()) {
            MemorySegment memory = file.map(0, 4096, arena);
            long start = System.nanoTime();
            platform.sleep(memory, 64, 1, LONG_SLEEP);
            assertThat(System.nanoTime() - start).isLessThan(LONG_SLEEP);
        }
    }

    @Test
    void wakesASleeperThroughAnotherMapping() throws Exception {
        try (JobFile file = platform.createFile("test", 4096);
                Arena arena = Arena.ofShared()) {
            MemorySegment sleeper = file.map(0, 4096, arena), waker = file.map(0, 4096, arena);
            AtomicLong slept = new AtomicLong();
            Thread thread = Thread.ofPlatform().start(() -> {
                long start = System.nanoTime();
                platform.sleep(sleeper, 128, 0, LONG_SLEEP);
                slept.set(System.nanoTime() - start);
            });
            while (thread.isAlive()) {
                Thread.sleep(5);
                platform.wake(waker, 128);
            }
            assertThat(slept.get()).isLessThan(LONG_SLEEP);
        }
    }

    @Test
    void bindsTheThreadThatAsksAndNoOther() throws Exception {
        String before = allowed();
        int first = Integer.parseInt(before.split("[-,]")[0]);
        AtomicReference<String> bound = new AtomicReference<>();
        Thread thread = Thread.ofPlatform().start(() -> {
            try {
                platform.bindThread(cpus(first));
                bound.set(allowed());
            } catch (IOException e) {
                bound.set(e.toString());
            }
        });
        thread.join();
        assertThat(bound).hasValue(Integer.toString(first));
        assertThat(allowed()).isEqualTo(before);
    }

    @Test
    void reportsCpusThatDoNotExist() {
        assertThatThrownBy(() -> platform.bindThread(cpus(9999)))
                .isInstanceOf(IOException.class)
                .hasMessage("the system does not allow this process to run on cpus {9999}");
    }

    private static BitSet cpus(int cpu) {
        BitSet cpus = new BitSet();
        cpus.set(cpu);
        return cpus;
    }

    private static String allowed() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/thread-self/status"))) {
            if (line.startsWith("Cpus_allowed_list:"))
                return line.substring("Cpus_allowed_list:".length()).strip();
        }
        throw new IOException("no Cpus_allowed_list");
    }
}
