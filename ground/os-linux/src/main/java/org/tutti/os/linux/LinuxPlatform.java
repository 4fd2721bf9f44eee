package org.tutti.os.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.MappedFile;
import org.tutti.job.os.OsPlatform;
import org.tutti.job.os.OutputPipe;
import org.tutti.job.os.PortablePlatform;

/// Linux on x86-64 and aarch64, for a process with native access.
public final class LinuxPlatform implements OsPlatform {
    private static final int MFD_CLOEXEC = 1;
    private static final int O_CLOEXEC = 0x80000;
    private static final int FUTEX_WAIT = 0;
    private static final int FUTEX_WAKE = 1;
    private static final int PR_SET_PDEATHSIG = 1;
    private static final int SIGKILL = 9;
    private static final int MADV_REMOVE = 9;

    /// The largest page size of any kernel. It is a multiple of all smaller page sizes.
    private static final long PAGE = 1 << 16;

    private static final int KILLED = 128 + SIGKILL;
    private static final long THIS_THREAD = 0;

    /// The time during which a new process requests no parent-death signal, and uses only short sleeps, which
    /// need no wake-up. A process with a short lifetime thus avoids the cost of linking the system calls. The
    /// death of a parent during this time is detected afterwards.
    private static final long FIRST_NANOS = 300_000_000;

    private static final long BEGAN_NANOS = System.nanoTime();

    /// The duration of a sleep if a sandbox refuses the system's sleep, because no process can then wake the
    /// thread.
    private static final long REFUSED_NANOS = 1_000_000;

    private static final long WATCH_NANOS = 1_000_000_000;

    /// Whether this process has tested `futex` on shared memory, and whether the system has refused the call.
    private volatile boolean isFutexChecked, isFutexRefused;

    /// A `struct timespec` for each thread: threads must not share one, and a call needs the structure only
    /// until the call has read it.
    private static final ThreadLocal<MemorySegment> TIMEOUT =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(16, 8));

    @Override
    public String name() {
        return "linux";
    }

    @Override
    public boolean usable() {
        return LinuxPlatform.class.getModule().isNativeAccessEnabled() && Syscall.known();
    }

    @Override
    public JobFile createFile(String label, long bytes) throws IOException {
        long descriptor;
        try (Arena arena = Arena.ofConfined()) {
            descriptor =
                    Syscall.call(Syscall.MEMFD_CREATE, arena.allocateFrom(label), MFD_CLOEXEC, 0, MemorySegment.NULL);
        }
        if (descriptor < 0) return new PortablePlatform().createFile(label, bytes); // a sandbox may forbid the call
        if (Syscall.call(Syscall.FTRUNCATE, descriptor, bytes) != 0) {
            Syscall.call(Syscall.CLOSE, descriptor, 0);
            throw new IOException("a shared file of " + bytes + " bytes exceeds the limit of this process (ulimit -f)");
        }
        MappedFile file = new MappedFile("/proc/self/fd/" + descriptor);
        // Java does not expose the number of its own descriptor of the file, so other processes open the first
        // descriptor.
        String path = "/proc/" + ProcessHandle.current().pid() + "/fd/" + descriptor;
        return new JobFile(file, path, () -> Syscall.call(Syscall.CLOSE, descriptor, 0));
    }

    @Override
    public @Nullable OutputPipe createPipe() {
        int read, write;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pipe = arena.allocate(JAVA_INT, 2);
            if (Syscall.call(Syscall.PIPE2, pipe, O_CLOEXEC, 0, MemorySegment.NULL) != 0) return null;
            read = pipe.getAtIndex(JAVA_INT, 0);
            write = pipe.getAtIndex(JAVA_INT, 1);
        }
        try {
            // Java opens the reading end again, with a separate descriptor
            InputStream in = new FileInputStream("/proc/self/fd/" + read);
            AtomicBoolean isSealed = new AtomicBoolean();
            return new OutputPipe(in, "/proc/" + ProcessHandle.current().pid() + "/fd/" + write, () -> {
                if (isSealed.compareAndSet(false, true)) Syscall.call(Syscall.CLOSE, write, 0);
            });
        } catch (IOException e) {
            Syscall.call(Syscall.CLOSE, write, 0);
            return null;
        } finally {
            Syscall.call(Syscall.CLOSE, read, 0);
        }
    }

    @Override
    public void prepare() {
        Thread.ofPlatform().daemon().name("tutti-link").start(() -> Syscall.call(Syscall.GETPPID, 0, 0));
    }

    @Override
    public boolean canSleep() {
        return !isFutexRefused && (Syscall.isLinked() || System.nanoTime() - BEGAN_NANOS > FIRST_NANOS);
    }

    @Override
    public boolean canWake() {
        return !isFutexRefused;
    }

    @Override
    @SuppressWarnings("restricted")
    public MemorySegment allMemory() {
        return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    }

    @Override
    @SuppressWarnings("restricted")
    public MemorySegment view(MemorySegment memory, Arena arena) {
        // the end action holds a reference to `memory`, so the mapping stays reachable as long as the view
        return memory.reinterpret(arena, end -> Reference.reachabilityFence(memory));
    }

    @Override
    @SuppressWarnings("restricted")
    public MemorySegment view(MemorySegment memory, Arena arena, Runnable end) {
        return memory.reinterpret(arena, freed -> {
            Reference.reachabilityFence(memory);
            end.run();
        });
    }

    /// Copies only arrays. If a different process truncates a file, an access to a lost page ends this process
    /// in native code, whereas in Java it throws an exception. Native memory may be part of a file although the
    /// segment does not report this: an `IntBuffer` view of a mapped file is not [MemorySegment#isMapped].
    @Override
    public boolean copy(MemorySegment from, long fromAt, MemorySegment to, long toAt, long bytes) {
        return !from.isNative()
                && to.isNative()
                && bytes > 0
                && Memcpy.isReady()
                && Memcpy.copy(from.asSlice(fromAt, bytes), to.asSlice(toAt, bytes));
    }

    @Override
    public void release(MemorySegment memory) {
        long begin = memory.address() + PAGE - 1 & -PAGE, end = memory.address() + memory.byteSize() & -PAGE;
        if (begin < end) Syscall.call(Syscall.MADVISE, begin, end - begin, MADV_REMOVE);
    }

    @Override
    public void sleep(MemorySegment memory, long offset, int expected, long nanos) {
        MemorySegment timeout = TIMEOUT.get();
        timeout.set(JAVA_LONG, 0, nanos / 1_000_000_000);
        timeout.set(JAVA_LONG, 8, nanos % 1_000_000_000);
        // not FUTEX_PRIVATE: the waker is a different process
        long result = Syscall.call(Syscall.FUTEX, memory.asSlice(offset, 4), FUTEX_WAIT, expected, timeout);
        if (result != 0) sleepIfRefused(memory, offset, expected, nanos);
    }

    /// Called after the system call for a sleep has failed, usually because the integer has changed or the
    /// timeout has expired. A sandbox may also refuse the call, and then the thread has not slept. The error
    /// number, which would show the reason, is not available here. Therefore this method calls wake once: wake
    /// also fails in such a sandbox, and cannot fail for any other reason.
    private void sleepIfRefused(MemorySegment memory, long offset, int expected, long nanos) {
        if (!isFutexChecked) {
            wake(memory, offset, 0);
            isFutexChecked = true;
        }
        if (isFutexRefused && memory.get(JAVA_INT, offset) == expected) {
            LockSupport.parkNanos(Math.min(nanos, REFUSED_NANOS));
        }
    }

    @Override
    public void wake(MemorySegment memory, long offset) {
        wake(memory, offset, Integer.MAX_VALUE);
    }

    private void wake(MemorySegment memory, long offset, int threads) {
        MemorySegment word = memory.asSlice(offset, 4);
        if (Syscall.call(Syscall.FUTEX, word, FUTEX_WAKE, threads, MemorySegment.NULL) < 0) isFutexRefused = true;
    }

    /// Uses a thread that stays alive, because the kernel stores the setting per thread and discards it when
    /// that thread ends.
    @Override
    public void dieWithParent(long parentPid) {
        Thread.ofPlatform().daemon().name("tutti-parent-watch").start(() -> {
            long until = BEGAN_NANOS + FIRST_NANOS;
            for (long left; (left = until - System.nanoTime()) > 0; ) LockSupport.parkNanos(left);
            boolean isSignalled = Syscall.call(Syscall.PRCTL, PR_SET_PDEATHSIG, SIGKILL) == 0;
            // a sandbox may refuse the parent-death signal, and even the query for the parent
            while (parent() == parentPid) {
                if (isSignalled) LockSupport.park();
                else LockSupport.parkNanos(WATCH_NANOS);
            }
            Runtime.getRuntime().halt(KILLED);
        });
    }

    static long parent() {
        long parent = Syscall.call(Syscall.GETPPID, 0, 0);
        if (parent >= 0) return parent;
        // a sandbox has refused getppid; reading a file needs only system calls that the JVM uses, too
        try {
            String stat = Files.readString(Path.of("/proc/self/stat"), StandardCharsets.ISO_8859_1);
            return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[1]);
        } catch (IOException e) {
            return 0;
        }
    }

    @Override
    public void signal(long pid, int number) {
        if (Syscall.call(Syscall.KILL, pid, number) == 0) return;
        // either a sandbox refuses the call for any process, even for this process, or process `pid` has ended
        boolean isRefused = Syscall.call(Syscall.KILL, ProcessHandle.current().pid(), 0) != 0;
        if (isRefused) new PortablePlatform().signal(pid, number);
    }

    @Override
    public boolean canBind() {
        return true;
    }

    @Override
    public void bindThread(BitSet cpus) throws IOException {
        long[] words = cpus.toLongArray();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocateFrom(JAVA_LONG, words);
            if (Syscall.call(Syscall.SCHED_SETAFFINITY, THIS_THREAD, mask.byteSize(), mask.address()) != 0) {
                throw new IOException("the system does not allow this process to run on cpus " + cpus);
            }
        }
    }
}
