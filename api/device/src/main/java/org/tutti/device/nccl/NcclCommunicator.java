package org.tutti.device.nccl;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.tutti.device.nccl.NcclApi.IN_PROGRESS;
import static org.tutti.device.nccl.NcclApi.SUCCESS;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.device.gpu.GpuDriver;
import org.tutti.device.spi.DeviceCommunicator;
import org.tutti.device.spi.DeviceDriver;
import org.tutti.device.spi.DeviceFault;
import org.tutti.device.spi.DeviceFault.Reason;
import org.tutti.mpi.Comm;
import org.tutti.mpi.MpiException;

/// A nonblocking communicator of NCCL or RCCL, with a watchdog thread for the operations that are queued on
/// streams:
///
///     call ──▶ library: in progress … success ──▶ event in the stream ──▶ PendingOperations
///     watchdog: event complete? asynchronous error? too late? ──▶ abort ──▶ the kernels end
///
/// Calls of the library are serialized, except for the abort of a call that blocks unexpectedly.
final class NcclCommunicator implements DeviceCommunicator {
    private static final long POLL_NANOS = 50_000, WATCH_MILLIS = 5, IDLE_MILLIS = 1000;

    /// The maximum time that an abort waits for a call of the library to return.
    private static final long CALL_SECONDS = 5;

    private final NcclApi api;
    private final DeviceDriver device;
    private final Duration limit;

    /// The MPI communicator, which reports whether the job has failed while a stream is waiting for other
    /// ranks.
    private final Comm job;

    private final int rank, size;
    private final PendingOperations pending = new PendingOperations();
    private final ReentrantLock lock = new ReentrantLock();
    private volatile long handle;
    private volatile @Nullable DeviceFault failure;
    private volatile boolean closed;
    private @Nullable Thread watchdog;
    private int grouped = -1;

    private NcclCommunicator(
            NcclApi api, DeviceDriver device, Duration limit, Comm job, long handle, int rank, int size) {
        this.job = job;
        this.api = api;
        this.device = device;
        this.limit = limit;
        this.handle = handle;
        this.rank = rank;
        this.size = size;
    }

    /// Creates a communicator. Collective; returns when the communicator is ready.
    ///
    /// @param limit the maximum time to wait for other ranks, here and in each operation
    static NcclCommunicator init(NcclApi api, GpuDriver device, Duration limit, Comm comm, byte[] uniqueId) {
        device.makeCurrent();
        int rank = comm.rank(), size = comm.size();
        long handle = api.init(size, uniqueId, rank);
        NcclCommunicator made = new NcclCommunicator(api, device, limit, comm, handle, rank, size);
        made.settle(NcclFunction.INIT.symbol(), SUCCESS);
        made.watch();
        return made;
    }

    private void watch() {
        watchdog = Thread.ofPlatform().daemon().name("tutti-nccl-watchdog").start(this::run);
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public String library() {
        return api.toString();
    }

    @Override
    public void allReduce(long stream, long send, long receive, long count, Element element, Reduction reduction) {
        int type = NcclApi.type(element), op = NcclApi.operation(reduction);
        begin();
        try {
            int code = api.table.call(NcclFunction.ALL_REDUCE, send, receive, count, type, op, handle, stream);
            end(NcclFunction.ALL_REDUCE, code, stream);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void reduce(
            long stream, long send, long receive, long count, Element element, Reduction reduction, int root) {
        int type = NcclApi.type(element), op = NcclApi.operation(reduction);
        begin();
        try {
            int code = api.table.call(NcclFunction.REDUCE, send, receive, count, type, op, root, handle, stream);
            end(NcclFunction.REDUCE, code, stream);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void broadcast(long stream, long buffer, long count, Element element, int root) {
        begin();
        try {
            int type = NcclApi.type(element);
            int code = api.table.call(NcclFunction.BROADCAST, buffer, buffer, count, type, root, handle, stream);
            end(NcclFunction.BROADCAST, code, stream);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void allGather(long stream, long send, long receive, long count, Element element) {
        begin();
        try {
            int type = NcclApi.type(element);
            int code = api.table.call(NcclFunction.ALL_GATHER, send, receive, count, type, handle, stream);
            end(NcclFunction.ALL_GATHER, code, stream);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void reduceScatter(long stream, long send, long receive, long count, Element element, Reduction reduction) {
        int type = NcclApi.type(element), op = NcclApi.operation(reduction);
        begin();
        try {
            int code = api.table.call(NcclFunction.REDUCE_SCATTER, send, receive, count, type, op, handle, stream);
            end(NcclFunction.REDUCE_SCATTER, code, stream);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void send(long stream, long buffer, long count, Element element, int peer) {
        begin();
        try {
            int code = api.table.call(NcclFunction.SEND, buffer, count, NcclApi.type(element), peer, handle, stream);
            end(NcclFunction.SEND, code, stream);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void receive(long stream, long buffer, long count, Element element, int peer) {
        begin();
        try {
            int code = api.table.call(NcclFunction.RECEIVE, buffer, count, NcclApi.type(element), peer, handle, stream);
            end(NcclFunction.RECEIVE, code, stream);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void group(long stream, Runnable operations) {
        begin();
        try {
            int code = api.table.call(NcclFunction.GROUP_START);
            if (code != SUCCESS) throw api.fault(NcclFunction.GROUP_START, code, handle);
            grouped = 0;
            try {
                operations.run();
            } finally {
                int calls = grouped;
                grouped = -1;
                code = api.table.call(NcclFunction.GROUP_END);
                if (calls > 0 || code != SUCCESS) end(NcclFunction.GROUP_END, code, stream);
            }
        } finally {
            lock.unlock();
        }
    }

    /// Acquires the lock for one call.
    private void begin() {
        lock.lock();
        try {
            check();
        } catch (RuntimeException e) {
            lock.unlock();
            throw e;
        }
    }

    private void check() {
        DeviceFault first = failure;
        if (first != null) throw new DeviceFault(first.reason(), String.valueOf(first.getMessage()));
        if (closed) throw new DeviceFault(Reason.FAILED, "the communicator of " + api + " is closed");
    }

    /// Completes a call that queued work on a stream.
    private void end(NcclFunction function, int code, long stream) {
        if (grouped >= 0) {
            if (code != SUCCESS && code != IN_PROGRESS) throw api.fault(function, code, handle);
            grouped++;
            return;
        }
        settle(function.symbol(), code);
        pending.add(function.symbol(), device.record(stream), System.nanoTime() + limit.toNanos());
    }

    /// Waits until the library has finished the asynchronous part of the call.
    ///
    /// @param code the return code of the call
    private void settle(String operation, int code) {
        if (code != SUCCESS && code != IN_PROGRESS) {
            throw fail(new DeviceFault(Reason.FAILED, where(operation) + ": " + api.text(code, handle)));
        }
        long deadline = System.nanoTime() + limit.toNanos();
        while (true) {
            int state = state();
            check();
            if (state == SUCCESS) return;
            if (state != IN_PROGRESS) throw fail(peerFault(operation, state));
            if (System.nanoTime() - deadline > 0) throw fail(late(operation));
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /// Returns the state of the communicator. After the communicator has been destroyed, the state is success.
    private int state() {
        lock.lock();
        try (Arena arena = Arena.ofConfined()) {
            if (handle == 0) return SUCCESS;
            MemorySegment out = arena.allocate(JAVA_INT);
            int code = api.table.call(NcclFunction.ASYNC_ERROR, handle, out.address());
            return code == SUCCESS ? out.get(JAVA_INT, 0) : code;
        } finally {
            lock.unlock();
        }
    }

    private String where(String operation) {
        return operation + " (rank " + rank + " of " + size + ", " + api + ")";
    }

    private String otherRanks() {
        if (size == 1) return "no other rank";
        return IntStream.range(0, size)
                .filter(one -> one != rank)
                .mapToObj(Integer::toString)
                .collect(Collectors.joining(", ", size == 2 ? "rank " : "ranks ", ""));
    }

    private DeviceFault peerFault(String operation, int state) {
        return new DeviceFault(
                NcclApi.reason(state),
                where(operation) + ": " + api.text(state, handle) + "; it was aborted, with " + otherRanks());
    }

    private DeviceFault late(String operation) {
        return new DeviceFault(
                Reason.PEER_FAILED,
                where(operation) + ": not done in " + limit.toMillis() / 1000.0 + " s, so it was aborted, with "
                        + otherRanks() + ": a rank has terminated, or has not called it; check the output of these"
                        + " ranks and the order of calls; -D" + NcclLibrary.TIMEOUT + "=SECONDS sets the limit");
    }

    /// Aborts the communicator, and returns the reason. Only the first reason is stored.
    private DeviceFault fail(DeviceFault reason) {
        synchronized (pending) {
            if (failure == null) failure = reason;
        }
        abort();
        return reason;
    }

    private void run() {
        try {
            while (!closed && failure == null) {
                pending.awaitOne(IDLE_MILLIS);
                while (!pending.isEmpty() && failure == null && !closed) checkFirst();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // unexpected
        }
        while (!pending.isEmpty()) releaseFirst();
    }

    private void releaseFirst() {
        device.releaseEvent(pending.firstEvent());
        pending.removeFirst();
    }

    /// Checks the first pending operation.
    private void checkFirst() throws InterruptedException {
        try {
            if (device.isComplete(pending.firstEvent())) {
                releaseFirst();
                return;
            }
        } catch (DeviceFault e) {
            fail(e);
            return;
        }
        String operation = pending.firstName();
        int state = lock.isLocked() ? SUCCESS : state(); // the owner of the lock checks the state
        if (state != SUCCESS && state != IN_PROGRESS) fail(peerFault(operation, state));
        else if (System.nanoTime() - pending.firstDeadline() > 0) fail(late(operation));
        else if (!failedWithJob(operation)) Thread.sleep(WATCH_MILLIS);
    }

    private boolean failedWithJob(String operation) {
        MpiException why;
        try {
            why = job.failure();
        } catch (MpiException e) {
            return false; // the communicator is closed: only the limit can end the wait
        }
        if (why == null) return false;
        String text = where(operation) + ": it was aborted, because the job failed: " + why.getMessage();
        fail(new DeviceFault(Reason.PEER_FAILED, text));
        return true;
    }

    @Override
    public @Nullable DeviceFault failure() {
        return failure;
    }

    @Override
    public void await(long stream) {
        device.synchronize(stream);
        check();
    }

    @Override
    public @Nullable NcclCommunicator split(int color, int key) {
        begin();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG);
            int which = color < 0 ? -1 : color; // NCCL_SPLIT_NOCOLOR
            int code = api.table.call(NcclFunction.SPLIT, handle, which, key, out.address(), 0);
            settle(NcclFunction.SPLIT.symbol(), code);
            long made = out.get(JAVA_LONG, 0);
            if (made == 0) return null;
            int place = api.number(NcclFunction.RANK, made), count = api.number(NcclFunction.COUNT, made);
            NcclCommunicator part = new NcclCommunicator(api, device, limit, job, made, place, count);
            part.settle(NcclFunction.SPLIT.symbol(), SUCCESS);
            part.watch();
            return part;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void abort() {
        boolean isLocked = false;
        try {
            isLocked = lock.tryLock(CALL_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            long aborted;
            synchronized (pending) {
                aborted = handle;
                handle = 0;
                closed = true;
            }
            if (aborted != 0) api.table.call(NcclFunction.ABORT, aborted);
        } finally {
            if (isLocked) lock.unlock();
        }
        awaitWatchdog();
    }

    @Override
    public void close() {
        if (closed) {
            awaitWatchdog();
            return;
        }
        begin();
        try {
            settle(NcclFunction.FINALIZE.symbol(), api.table.call(NcclFunction.FINALIZE, handle));
            long ended;
            synchronized (pending) {
                ended = handle;
                handle = 0;
                closed = true;
            }
            int code = api.table.call(NcclFunction.DESTROY, ended);
            if (code != SUCCESS) throw api.fault(NcclFunction.DESTROY, code, 0);
        } finally {
            lock.unlock();
            awaitWatchdog();
        }
    }

    /// Waits until the watchdog has ended, because it queries events that are destroyed with the device.
    private void awaitWatchdog() {
        Thread thread = watchdog;
        if (thread == null || thread == Thread.currentThread() || lock.isHeldByCurrentThread()) return;
        pending.wake();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
