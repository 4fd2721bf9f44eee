package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.tutti.libmpi.raw.Constants.*;
import static org.tutti.libmpi.raw.EnvironmentFunctions.*;
import static org.tutti.libmpi.raw.PointToPointFunctions.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.libmpi.boot.Library;
import org.tutti.spi.Activity;
import org.tutti.spi.Allocator;
import org.tutti.spi.Collective;
import org.tutti.spi.Communicators;
import org.tutti.spi.DeviceMessages;
import org.tutti.spi.Engine;
import org.tutti.spi.EngineInfo;
import org.tutti.spi.Fault;
import org.tutti.spi.JobControl;
import org.tutti.spi.LibrarySpawning;
import org.tutti.spi.LocalWait;
import org.tutti.spi.Memory;
import org.tutti.spi.MessageAudit;
import org.tutti.spi.MessageErrors;
import org.tutti.spi.Power;
import org.tutti.spi.SleepStrategy;
import org.tutti.spi.Transfer;
import org.tutti.spi.Windows;
import org.tutti.spi.type.ElementType;

/// One rank's access to the job through the machine's MPI library.
final class LibmpiEngine implements Engine {
    // MPI_MAX_PROCESSOR_NAME is 256 at most
    private static final int NAME_BYTES = 256;

    /// Every library sends messages up to this size to other ranks without waiting for the receiver.
    private static final long BUFFERED_BYTES = ObjectTransfers.INLINE_BYTES;

    /// The duration from which a probe is considered slow, in nanoseconds. A probe of a short queue is faster,
    /// even after a sleep.
    private static final long LONG_SEARCH_NANOS = 20_000;

    private final NativeComm world;
    private final NativeComm self;
    private final Allocator allocator;
    private final EngineInfo info;
    private final boolean crowded;
    private final boolean crowdedSomewhere;

    private final Staging staging = new Staging();
    private final TypedTransfers messages;
    private final ObjectTransfers objects;
    private final SelfSends selfSends;
    private final CollectiveCalls collectives = new CollectiveCalls(staging);
    private final Schedules schedules;
    private final StepwiseDups dups;
    private final NativeCommunicators communicators;
    private final LibraryIdleStrategy waiter;
    private final Shutdown life;
    private final UnreceivedMessages audit;
    private final NativeCommunicators.Calls calls;
    private final NodeRanks machine;
    private final boolean isOpenMpi;

    private final NativeSpawning spawning;

    /// Created when the program creates the first window.
    private @Nullable NativeWindows windows;

    /// Executes calls that may block, for threads that must not block.
    private final ExecutorService helpers = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("tutti-libmpi-", 0).factory());

    /// @param crowded whether this machine has more ranks than cores
    /// @param crowdedSomewhere whether some machine of the job has more ranks than cores
    LibmpiEngine(
            Library library,
            NodeRanks machine,
            ForeignRanks mixed,
            Worlds worlds,
            NativeComm world,
            NativeComm self,
            int tagUpperBound,
            LibraryIdleStrategy waiter,
            boolean crowded,
            boolean crowdedSomewhere,
            Shutdown life) {
        this.world = world;
        this.self = self;
        allocator = new NativeMemory(world);
        this.info = new EngineInfo(
                RankEnvironment.NATIVE,
                "libmpi: " + library.version() + ", " + library.file() + ", ABI " + library.abi(),
                processorName(),
                tagUpperBound,
                false);
        this.crowded = crowded;
        this.crowdedSomewhere = crowdedSomewhere;
        this.messages = new TypedTransfers(staging, tagUpperBound);
        this.objects = new ObjectTransfers(staging, messages);
        this.selfSends = new SelfSends(staging, messages, objects);
        Schedules.Steps steps = new Schedules.Steps() {
            @Override
            public boolean step(Activity activity, NativeScratch s) {
                return LibmpiEngine.this.step(activity, s);
            }

            @Override
            public void end(Activity activity, Throwable why) {
                LibmpiEngine.this.end(activity, why);
            }
        };
        this.schedules = new Schedules(this, steps);
        this.dups = new StepwiseDups(steps);
        this.waiter = waiter;
        this.life = life;
        this.machine = machine;
        isOpenMpi = library.isOpenMpi();
        this.audit = new UnreceivedMessages(world, self);
        calls = new NativeCommunicators.Calls() {
            @Override
            public int anywhere(IntSupplier call) {
                return LibmpiEngine.this.anywhere(call);
            }

            @Override
            public void duplicate(NativeCollective call, MemorySegment handles) {
                dups.start(call, handles);
            }

            @Override
            public void check(int rc, String operation, NativeComm parent) {
                LibmpiEngine.this.check(rc, operation, parent);
            }

            @Override
            public void throwPoison() {
                life.throwPoison();
            }

            @Override
            public boolean isRunning() {
                return !life.isOver() && life.poison() == null;
            }
        };
        this.communicators =
                new NativeCommunicators(library, machine, mixed, worlds, messages, world, self, audit, calls);
        spawning = new NativeSpawning(library, communicators, calls, worlds);
        NativeScratch.beginsHere();
    }

    /// Connects a spawned world with the parents. Collective over the spawned world and the parents.
    void meetParents() {
        spawning.meetParents(world);
    }

    @Override
    public EngineInfo info() {
        return info;
    }

    @Override
    public Communicators communicators() {
        return communicators;
    }

    @Override
    public JobControl job() {
        return life;
    }

    @Override
    public <P extends Power> @Nullable P power(Class<P> kind) {
        if (kind == Windows.class) return kind.cast(windows());
        if (kind == LibrarySpawning.class) return kind.cast(spawning);
        if (kind == DeviceMessages.class) return kind.cast(new LibraryDevices());
        return kind == MessageAudit.class ? kind.cast(audit) : null;
    }

    private synchronized NativeWindows windows() {
        NativeWindows made = windows;
        if (made == null) {
            WindowProgress progress = new WindowProgress(world, waiter);
            windows = made = new NativeWindows(this, calls, staging, machine, progress, isOpenMpi);
            life.endsWith(made);
        }
        return made;
    }

    @Override
    public Transfer transfer() {
        return new NativeTransfer();
    }

    @Override
    public Collective collective() {
        return new NativeCollective();
    }

    @Override
    public void start(Activity activity) {
        life.throwPoison();
        NativeScratch s = NativeScratch.take();
        try {
            begin(activity, s, true);
        } catch (RuntimeException | Error e) {
            end(activity, e);
        } finally {
            s.give();
        }
    }

    /// Starts an activity. `owned` is false if the caller waits for completion before it returns.
    private void begin(Activity activity, NativeScratch s, boolean owned) {
        activity.begin();
        switch (activity) {
            case Transfer transfer -> {
                NativeTransfer t = (NativeTransfer) transfer;
                t.cancelled = false;
                t.cancelling = false;
                t.claimed = false;
                checkObjects(t, t.isObject());
                if (t.peer == Transfer.PROC_NULL) {
                    t.matched = false;
                    TypedTransfers.setNullStatus(t);
                    t.complete();
                } else if (!t.isObject()) {
                    messages.start(t, s, owned);
                } else if (t.kind == Transfer.Kind.SEND) {
                    objects.startSend(t, s);
                } else {
                    objects.startReceive(t, s);
                }
            }
            case Collective collective -> {
                NativeCollective c = (NativeCollective) collective;
                checkObjects(c, c.send.type == ElementType.OBJECT);
                if (c.isScheduled()) schedules.start(c);
                else collectives.issue(c, s, false);
            }
        }
    }

    private static void checkObjects(Activity activity, boolean isObject) {
        if (isObject && ((NativeComm) activity.port()).isMixed()) throw ForeignRanks.refuse(activity, "objects");
    }

    @Override
    public boolean test(Activity activity) {
        if (activity.isDone()) return true;
        life.throwPoison();
        NativeScratch s = NativeScratch.take();
        try {
            progress(s);
            if (step(activity, s)) return true;
        } finally {
            s.give();
        }
        SleepStrategy.afterVainTest();
        return false;
    }

    /// Advances activities that need progress by Java code; returns true if a collective call has advanced.
    private boolean progress(NativeScratch s) {
        objects.progress(s);
        return dups.progress(s) | schedules.progress(s);
    }

    /// Tests the activity once. Returns true if it has ended, with or without success.
    private boolean step(Activity activity, NativeScratch s) {
        if (activity.isDone()) return true;
        try {
            return switch (activity) {
                case Transfer transfer -> {
                    NativeTransfer t = (NativeTransfer) transfer;
                    if (!t.isObject()) yield messages.test(t, s);
                    yield t.kind == Transfer.Kind.SEND ? objects.testSend(t, s) : objects.testReceive(t, s);
                }
                case Collective collective -> {
                    NativeCollective c = (NativeCollective) collective;
                    yield !c.isScheduled() && !c.isStepwise && collectives.test(c, s);
                }
            };
        } catch (RuntimeException | Error e) {
            end(activity, e);
            return true;
        }
    }

    @Override
    public void await(Activity activity) {
        if (activity.isDone()) return;
        life.throwPoison();
        NativeScratch s = NativeScratch.take();
        try {
            await(activity, s);
        } finally {
            s.give();
        }
    }

    private void await(Activity activity, NativeScratch s) {
        waiter.begin(s);
        for (int round = 0; !step(activity, s); round = pass(s, round, awaited(activity))) {
            Fault failed = life.poison();
            if (failed != null) {
                end(activity, failed);
                break;
            }
        }
        waiter.end(s);
    }

    /// Executes one round of a wait for a message of `bytes` bytes: advances activities, then pauses. Returns
    /// the number of the next round.
    private int pass(NativeScratch s, int round, long bytes) {
        int next = round;
        if (progress(s)) {
            waiter.begin(s);
            next = 0;
        }
        waiter.pause(s, next, bytes);
        return next + 1;
    }

    @Override
    public void await(LocalWait wait) {
        NativeScratch s = NativeScratch.take();
        try {
            waiter.begin(s);
            for (int round = 0; !wait.isOver(); round++) {
                life.throwPoison();
                advanceAll(s);
                waiter.pause(s, round, 0);
            }
        } finally {
            waiter.end(s);
            s.give();
        }
    }

    /// Advances all operations. With MPICH, a probe of [#self] would not advance other messages.
    private void advanceAll(NativeScratch s) {
        progress(s);
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world.handle, s.flag, s.status);
    }

    @Override
    public int awaitAny(Activity[] activities, int count) {
        life.throwPoison();
        NativeScratch s = NativeScratch.take();
        try {
            waiter.begin(s);
            for (int round = 0; ; ) {
                long bytes = 0;
                for (int i = 0; i < count; i++) {
                    if (step(activities[i], s)) return i;
                    bytes = Math.max(bytes, awaited(activities[i]));
                }
                Fault failed = life.poison();
                if (failed != null) {
                    end(activities[0], failed);
                    return 0;
                }
                round = pass(s, round, bytes);
            }
        } finally {
            waiter.end(s);
            s.give();
        }
    }

    /// Returns the number of bytes for which an activity waits.
    private static long awaited(Activity activity) {
        return switch (activity) {
            case Transfer t -> ((NativeTransfer) t).awaited();
            case Collective c -> ((NativeCollective) c).awaited();
        };
    }

    @Override
    public void run(Activity activity) {
        life.throwPoison();
        NativeScratch s = NativeScratch.take();
        try {
            switch (activity) {
                case Transfer t -> run((NativeTransfer) t, s);
                case Collective c -> run((NativeCollective) c, s);
            }
        } catch (RuntimeException | Error e) {
            end(activity, e);
        } finally {
            s.give();
        }
    }

    /// Small messages use the library's blocking calls if every rank on this machine has a core: this saves 15
    /// to 40 ns per message. A thread that waits in the library uses a full core, as in C, and other threads
    /// may have to wait for the library's lock. Therefore a receive waits in the library only in the thread
    /// that called `Mpi.init`, and only as long as no other thread has called the library. All other waits for
    /// messages use tests: between tests, a rank can sleep, and messages with objects make progress.
    private void run(NativeTransfer t, NativeScratch s) {
        boolean small = t.lengthBytes <= BUFFERED_BYTES;
        boolean buffered = small && t.kind == Transfer.Kind.SEND && !t.synchronous;
        if (buffered && t.peer == t.nativeComm().rank()) {
            checkObjects(t, t.isObject());
            selfSends.send(t, s);
            return;
        }
        boolean quick =
                buffered || small && t.kind == Transfer.Kind.RECV && !t.matched && s.isOnlyThread() && !isOwn(t);
        if (quick && !crowded && !t.isObject() && t.peer != Transfer.PROC_NULL && mayBlock()) {
            t.begin();
            if (buffered) {
                messages.send(t, s);
            } else {
                messages.receive(t, s);
            }
            return;
        }
        begin(t, s, false);
        if (!t.isDone()) await(t, s);
    }

    /// Returns whether the awaited message can only be sent by another thread of this rank. With MPICH 4.0 in a
    /// job with a single rank, no other thread can enter the library while one thread waits in it.
    private static boolean isOwn(NativeTransfer receive) {
        NativeComm comm = receive.nativeComm();
        return receive.peer == comm.rank() || comm.size() == 1;
    }

    /// Uses the library's blocking call if every rank has a core, because nonblocking calls cost two to four
    /// times as much (allreduce of 8 B: 0.28 µs against 0.70 with either library). With more ranks than cores,
    /// blocking calls are slower by two orders of magnitude. On a mixed communicator, programs in other
    /// languages make the blocking call, and a nonblocking call would not match this call. Ranks of different
    /// worlds use nonblocking calls, because the number of cores of the other world is not known.
    private void run(NativeCollective c, NativeScratch s) {
        NativeComm comm = c.nativeComm();
        if (c.isScheduled() || comm.isOfSeveralWorlds() || crowdedSomewhere && !comm.isMixed()) {
            begin(c, s, false);
            if (!c.isDone()) await(c, s);
            return;
        }
        c.begin();
        checkObjects(c, c.send.type == ElementType.OBJECT);
        if (mayBlock()) {
            collectives.issue(c, s, true);
            collectives.finish(c);
        } else {
            anywhere(() -> runForAnother(c));
        }
    }

    /// Executes the blocking call in a helper thread, on behalf of a waiting thread. Uses the helper thread's
    /// scratch, because the waiting thread's scratch is in use, and replaces memory confined to the waiting
    /// thread by a view that the helper thread can access.
    private int runForAnother(NativeCollective c) {
        Memory send = c.send.memory, recv = c.recv.memory;
        NativeScratch s = NativeScratch.take();
        try {
            c.send.memory = OperandStaging.forThisThread(send);
            c.recv.memory = OperandStaging.forThisThread(recv);
            collectives.issue(c, s, true);
            collectives.finish(c);
        } finally {
            c.send.memory = send;
            c.recv.memory = recv;
            s.give();
        }
        return 0;
    }

    /// Returns whether the calling thread may block. A virtual thread must not, because it would block the
    /// carrier. No thread may block while activities need progress by Java code.
    private boolean mayBlock() {
        return !objects.arePending()
                && !schedules.arePending()
                && !dups.arePending()
                && !Thread.currentThread().isVirtual();
    }

    /// Executes a call that may block: in this thread if permitted, otherwise in a helper thread.
    private int anywhere(IntSupplier call) {
        if (mayBlock()) return call.getAsInt();
        Future<Integer> result = helpers.submit(call::getAsInt);
        NativeScratch s = NativeScratch.take();
        try {
            waiter.begin(s);
            for (int round = 0; !result.isDone(); round = pass(s, round, 0)) {}
            waiter.end(s);
        } finally {
            s.give();
        }
        if (result.state() == Future.State.SUCCESS) return result.resultNow();
        if (result.exceptionNow() instanceof RuntimeException e) throw e;
        throw new IllegalStateException("a call for another thread failed", result.exceptionNow());
    }

    @Override
    public void cancel(Transfer receive) {
        NativeTransfer t = (NativeTransfer) receive;
        if (t.isDone()) return;
        NativeScratch s = NativeScratch.take();
        try {
            if (t.isObject()) {
                objects.cancel(t, s);
            } else if (!t.claimed) {
                s.request(t.request);
                check(MPI_Cancel(s.request), t.operation, t.comm);
                t.cancelling = true;
            }
            await(t, s);
        } catch (RuntimeException | Error e) {
            end(t, e);
        } finally {
            s.give();
        }
    }

    @Override
    public boolean probe(Transfer pattern, boolean wait, boolean take) {
        life.throwPoison();
        NativeTransfer t = (NativeTransfer) pattern;
        if (t.peer == Transfer.PROC_NULL) {
            TypedTransfers.setNullStatus(t);
            t.matched = take;
            return true;
        }
        NativeScratch s = NativeScratch.take();
        try {
            waiter.begin(s);
            boolean there = messages.probe(t, take, s);
            long before = 0;
            for (int round = 0; wait && !there; ) {
                life.throwPoison();
                round = pass(s, round, 0);
                long from = System.nanoTime();
                there = messages.probe(t, take, s);
                long took = System.nanoTime() - from;
                // the minimum of two probes: in a single long probe, the thread may merely have lost the core
                if (!there) takeIn(Math.min(took, before), s);
                before = took;
            }
            return there;
        } finally {
            waiter.end(s);
            s.give();
        }
    }

    /// Lets the library accept pending messages after slow probes. A probe searches all unreceived messages and
    /// accepts no new ones, so repeated probes would cost time quadratic in the number of messages. A receive
    /// accepts arriving messages, and searches only once; therefore this method posts a receive that never
    /// matches, and tests it for a while.
    private void takeIn(long nanos, NativeScratch s) {
        if (nanos < LONG_SEARCH_NANOS) return;
        long end = System.nanoTime() + nanos;
        int never = messages.groupTag(0);
        check(MPI_Irecv(s.out, 0, MPI_BYTE, 0, never, self.shadow, s.request), "probe", self);
        do check(MPI_Test(s.request, s.flag, s.status), "probe", self);
        while (System.nanoTime() - end < 0);
        check(MPI_Cancel(s.request), "probe", self);
        while (!s.flag()) check(MPI_Test(s.request, s.flag, s.status), "probe", self);
    }

    @Override
    public Allocator allocator() {
        return allocator;
    }

    /// Ends the activity with `why`, and also the job if the scope of `why` is the job.
    private void end(Activity activity, Throwable why) {
        if (why instanceof Fault e && e.scope() == Fault.Scope.JOB) life.fail(e);
        switch (activity) {
            case Transfer transfer -> {
                NativeTransfer t = (NativeTransfer) transfer;
                if (!t.hasRequest && !t.hasRest) messages.release(t);
            }
            case Collective collective -> {
                NativeCollective c = (NativeCollective) collective;
                if (c.pending == 0) collectives.release(c);
            }
        }
        activity.fail(MessageErrors.ofMemory(activity, why));
    }

    private void check(int rc, String operation, @Nullable Object where) {
        if (rc == 0) return;
        Fault e = Errors.of(rc, operation, where);
        if (e.scope() == Fault.Scope.JOB) life.fail(e);
        throw e;
    }

    private static String processorName() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocate(NAME_BYTES);
            int rc = MPI_Get_processor_name(name, arena.allocate(JAVA_INT));
            if (rc != 0) throw Errors.of(rc, "init", null);
            return name.getString(0);
        }
    }
}
