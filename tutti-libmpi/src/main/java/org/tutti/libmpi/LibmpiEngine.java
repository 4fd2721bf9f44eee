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
import org.tutti.libmpi.boot.Library;
import org.tutti.spi.Activity;
import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;
import org.tutti.spi.Engine;
import org.tutti.spi.Fault;
import org.tutti.spi.Idle;
import org.tutti.spi.LocalWait;
import org.tutti.spi.Memory;
import org.tutti.spi.MessageErrors;
import org.tutti.spi.Naps;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// One rank's access to its job through the machine's MPI library.
final class LibmpiEngine implements Engine {
    // MPI_MAX_PROCESSOR_NAME is 256 at most
    private static final int NAME_BYTES = 256;

    /// What libraries send without waiting for the receiver: at least so much.
    private static final long BUFFERED_BYTES = ObjectTransfers.INLINE_BYTES;

    private final Library library;
    private final NativeComm world;
    private final NativeComm self;
    private final int tagUpperBound;
    private final boolean crowded;
    private final boolean crowdedSomewhere;

    private final Staging staging = new Staging();
    private final TypedTransfers messages;
    private final ObjectTransfers objects;
    private final SelfSends selfSends;
    private final CollectiveCalls collectives = new CollectiveCalls(staging);
    private final Schedules schedules;
    private final Communicators making;
    private final Waiter waiter;
    private final Shutdown life;
    private final UnreceivedMessages leftOver;

    /// Where calls that may block are made for threads that may not.
    private final ExecutorService helpers = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("tutti-libmpi-", 0).factory());

    private volatile @Nullable Fault poison;

    /// @param crowded more ranks than cores on this machine; on some machine
    LibmpiEngine(
            Library library,
            NodeRanks machine,
            ForeignRanks mixed,
            NativeComm world,
            NativeComm self,
            int tagUpperBound,
            Idle idle,
            boolean crowded,
            boolean crowdedSomewhere,
            Shutdown life) {
        this.library = library;
        this.world = world;
        this.self = self;
        this.tagUpperBound = tagUpperBound;
        this.crowded = crowded;
        this.crowdedSomewhere = crowdedSomewhere;
        this.messages = new TypedTransfers(staging, tagUpperBound);
        this.objects = new ObjectTransfers(staging, messages);
        this.selfSends = new SelfSends(staging, messages, objects);
        this.schedules = new Schedules(this, new Schedules.Steps() {
            @Override
            public boolean step(Activity activity, NativeScratch s) {
                return LibmpiEngine.this.step(activity, s);
            }

            @Override
            public void end(Activity activity, Throwable why) {
                LibmpiEngine.this.end(activity, why);
            }
        });
        this.making = new Communicators(library, machine, mixed, messages, new Communicators.Calls() {
            @Override
            public int anywhere(IntSupplier call) {
                return LibmpiEngine.this.anywhere(call);
            }

            @Override
            public void check(int rc, String operation, NativeComm parent) {
                LibmpiEngine.this.check(rc, operation, parent);
            }
        });
        this.waiter = new Waiter(idle);
        this.life = life;
        this.leftOver = new UnreceivedMessages(world, self);
        NativeScratch.beginsHere();
    }

    @Override
    public String name() {
        return "libmpi";
    }

    @Override
    public String description() {
        return "libmpi: " + library.version() + ", " + library.file() + ", ABI " + library.abi();
    }

    @Override
    public String processorName() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocate(NAME_BYTES);
            check(MPI_Get_processor_name(name, arena.allocate(JAVA_INT)), "processorName", null);
            return name.getString(0);
        }
    }

    @Override
    public int tagUpperBound() {
        return tagUpperBound;
    }

    @Override
    public CommPort world() {
        return world;
    }

    @Override
    public CommPort self() {
        return self;
    }

    @Override
    public @Nullable CommPort split(CommPort parent, int color, int key) {
        throwPoison();
        return leftOver.known(making.split((NativeComm) parent, color, key));
    }

    @Override
    public CommPort dup(CommPort parent) {
        throwPoison();
        return leftOver.known(making.dup((NativeComm) parent));
    }

    @Override
    public CommPort splitShared(CommPort parent, int key) {
        throwPoison();
        return leftOver.known(making.splitShared((NativeComm) parent, key));
    }

    @Override
    public CommPort createGroup(CommPort parent, int[] ranks, int tag) {
        throwPoison();
        return leftOver.known(making.createGroup((NativeComm) parent, ranks, tag));
    }

    @Override
    public Collective startDup(CommPort parent) {
        throwPoison();
        return making.startDup((NativeComm) parent);
    }

    @Override
    public CommPort finishDup(Collective done) {
        return leftOver.known(making.finishDup(done));
    }

    @Override
    public void free(CommPort port) {
        leftOver.freed((NativeComm) port);
        if (!life.isOver() && poison == null) making.close((NativeComm) port);
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
        throwPoison();
        NativeScratch s = NativeScratch.take();
        try {
            begin(activity, s, true);
        } catch (RuntimeException | Error e) {
            end(activity, e);
        } finally {
            s.give();
        }
    }

    /// `owned`: the caller will not wait for it in this very call.
    private void begin(Activity activity, NativeScratch s, boolean owned) {
        activity.begin();
        switch (activity) {
            case NativeTransfer t -> {
                t.cancelled = false;
                t.cancelling = false;
                t.claimed = false;
                checkObjects(t, t.isObject());
                if (t.peer == Transfer.PROC_NULL) {
                    t.matched = false;
                    TypedTransfers.nobody(t);
                    t.complete();
                } else if (!t.isObject()) {
                    messages.start(t, s, owned);
                } else if (t.kind == Transfer.Kind.SEND) {
                    objects.startSend(t, s);
                } else {
                    objects.startReceive(t, s);
                }
            }
            case NativeCollective c -> {
                checkObjects(c, c.type == ElementType.PACKED);
                if (c.isScheduled()) schedules.start(c);
                else collectives.issue(c, s, false);
            }
            default -> throw stranger(activity);
        }
    }

    private static void checkObjects(Activity activity, boolean isObject) {
        if (isObject && ((NativeComm) activity.port()).isMixed()) throw ForeignRanks.refuse(activity, "objects");
    }

    @Override
    public boolean test(Activity activity) {
        if (activity.isDone()) return true;
        throwPoison();
        NativeScratch s = NativeScratch.take();
        try {
            progress(s);
            return step(activity, s);
        } finally {
            s.give();
        }
    }

    /// Looks after what goes on only when Java does; true when a collective call has moved.
    private boolean progress(NativeScratch s) {
        objects.progress(s);
        return schedules.progress(s);
    }

    /// Looks once; true when it has ended, well or not.
    private boolean step(Activity activity, NativeScratch s) {
        if (activity.isDone()) return true;
        try {
            return switch (activity) {
                case NativeTransfer t -> {
                    if (!t.isObject()) yield messages.test(t, s);
                    yield t.kind == Transfer.Kind.SEND ? objects.testSend(t, s) : objects.testReceive(t, s);
                }
                case NativeCollective c -> !c.isScheduled() && collectives.test(c, s);
                default -> throw stranger(activity);
            };
        } catch (RuntimeException | Error e) {
            end(activity, e);
            return true;
        }
    }

    @Override
    public void await(Activity activity) {
        if (activity.isDone()) return;
        throwPoison();
        NativeScratch s = NativeScratch.take();
        try {
            await(activity, s);
        } finally {
            s.give();
        }
    }

    private void await(Activity activity, NativeScratch s) {
        waiter.begin(s);
        for (int round = 0; !step(activity, s); round++) {
            if (progress(s)) {
                waiter.begin(s);
                round = 0;
            }
            Fault failed = poison;
            if (failed != null) {
                end(activity, failed);
                break;
            }
            waiter.pause(s, round, awaited(activity));
        }
        waiter.end(s);
    }

    @Override
    public void await(LocalWait wait) {
        Naps naps = new Naps();
        try {
            while (!wait.isOver()) {
                throwPoison();
                look();
                naps.nap();
            }
        } finally {
            naps.over();
        }
    }

    /// Lets everything go on that can, the library's messages, too.
    private void look() {
        NativeScratch s = NativeScratch.take();
        try {
            progress(s);
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, self.handle, s.flag, s.status);
        } finally {
            s.give();
        }
    }

    @Override
    public int awaitAny(Activity[] activities, int count) {
        throwPoison();
        NativeScratch s = NativeScratch.take();
        try {
            waiter.begin(s);
            for (int round = 0; ; round++) {
                long bytes = 0;
                for (int i = 0; i < count; i++) {
                    if (step(activities[i], s)) return i;
                    bytes = Math.max(bytes, awaited(activities[i]));
                }
                if (progress(s)) {
                    waiter.begin(s);
                    round = 0;
                }
                Fault failed = poison;
                if (failed != null) {
                    end(activities[0], failed);
                    return 0;
                }
                waiter.pause(s, round, bytes);
            }
        } finally {
            waiter.end(s);
            s.give();
        }
    }

    /// The bytes that a wait for it is for.
    private static long awaited(Activity activity) {
        return activity instanceof NativeTransfer t ? t.awaited() : ((NativeCollective) activity).awaited();
    }

    @Override
    public void run(Activity activity) {
        throwPoison();
        NativeScratch s = NativeScratch.take();
        try {
            switch (activity) {
                case NativeTransfer t -> run(t, s);
                case NativeCollective c -> run(c, s);
                default -> throw stranger(activity);
            }
        } catch (RuntimeException | Error e) {
            end(activity, e);
        } finally {
            s.give();
        }
    }

    /// Small ones are the library's blocking calls where every rank has a core: 15 to 40 ns less a
    /// message, but a rank that waits so burns its core, as in C, so receives only in one thread of each,
    /// as long as it is the only one. Everything else that may wait is tested, so that a rank can sleep,
    /// and objects be looked after.
    private void run(NativeTransfer t, NativeScratch s) {
        boolean small = t.lengthBytes <= BUFFERED_BYTES;
        boolean buffered = small && t.kind == Transfer.Kind.SEND && !t.synchronous;
        if (buffered && t.peer == t.nativeComm().rank()) {
            checkObjects(t, t.isObject());
            selfSends.send(t, s);
            return;
        }
        boolean quick = buffered || small && t.kind == Transfer.Kind.RECV && !t.matched && s.isAlone() && !isOwn(t);
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

    /// Whether only this rank can send what is received, out of another thread: MPICH 4.0 in a job of one
    /// rank lets no other thread in while one waits.
    private static boolean isOwn(NativeTransfer receive) {
        NativeComm comm = receive.nativeComm();
        return receive.peer == comm.rank() || comm.size() == 1;
    }

    /// The library's blocking call where every rank has a core, because its nonblocking ones cost two to four
    /// times as much (allreduce of 8 B: 0.28 µs against 0.70 with both libraries); where ranks outnumber
    /// cores it is the other way round by two orders of magnitude. Programs in other languages make the
    /// blocking call, and the two do not match.
    private void run(NativeCollective c, NativeScratch s) {
        if (c.isScheduled() || crowdedSomewhere && !c.nativeComm().isMixed()) {
            begin(c, s, false);
            if (!c.isDone()) await(c, s);
            return;
        }
        c.begin();
        checkObjects(c, c.type == ElementType.PACKED);
        if (mayBlock()) {
            collectives.issue(c, s, true);
            collectives.finish(c);
        } else {
            anywhere(() -> runForAnother(c));
        }
    }

    /// Makes the blocking call for a thread that waits meanwhile: with a scratch of this thread, since the other one
    /// uses its own, and with what may be that one's memory alone.
    private int runForAnother(NativeCollective c) {
        Memory send = c.send, recv = c.recv;
        NativeScratch s = NativeScratch.take();
        try {
            c.send = OperandStaging.forThisThread(send);
            c.recv = OperandStaging.forThisThread(recv);
            collectives.issue(c, s, true);
            collectives.finish(c);
        } finally {
            c.send = send;
            c.recv = recv;
            s.give();
        }
        return 0;
    }

    /// A virtual thread must not block its carrier, and nobody may while objects or schedules are waiting
    /// to be looked after.
    private boolean mayBlock() {
        return !objects.arePending()
                && !schedules.arePending()
                && !Thread.currentThread().isVirtual();
    }

    /// Makes a call that may block: here if this thread may, else on a helper's.
    private int anywhere(IntSupplier call) {
        if (mayBlock()) return call.getAsInt();
        Future<Integer> result = helpers.submit(call::getAsInt);
        NativeScratch s = NativeScratch.take();
        try {
            waiter.begin(s);
            for (int round = 0; !result.isDone(); round++) {
                progress(s);
                waiter.pause(s, round, 0);
            }
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
        throwPoison();
        NativeTransfer t = (NativeTransfer) pattern;
        if (t.peer == Transfer.PROC_NULL) {
            TypedTransfers.nobody(t);
            t.matched = take;
            return true;
        }
        NativeScratch s = NativeScratch.take();
        try {
            waiter.begin(s);
            boolean there = messages.probe(t, take, s);
            for (int round = 0; wait && !there; round++) {
                progress(s);
                throwPoison();
                waiter.pause(s, round, 0);
                there = messages.probe(t, take, s);
            }
            return there;
        } finally {
            waiter.end(s);
            s.give();
        }
    }

    @Override
    public @Nullable String unreceived() {
        NativeScratch s = NativeScratch.take();
        try {
            return leftOver.find(s);
        } finally {
            s.give();
        }
    }

    @Override
    public MemorySegment allocate(long bytes) {
        return NativeMemory.allocate(bytes, world);
    }

    @Override
    public void leave() {
        life.leave();
    }

    @Override
    public void abort(int code, String why) {
        life.abort(code);
    }

    @Override
    public @Nullable RuntimeException poison() {
        return poison;
    }

    private void throwPoison() {
        Fault failed = poison;
        if (failed != null) throw failed;
    }

    /// The activity ends with `why`; the job too, if it is that bad.
    private void end(Activity activity, Throwable why) {
        if (why instanceof Fault e && e.scope() == Fault.Scope.JOB && poison == null) poison = e;
        switch (activity) {
            case NativeTransfer t -> {
                if (!t.hasRequest && !t.hasRest) messages.release(t);
            }
            case NativeCollective c -> {
                if (c.pending == 0) collectives.release(c);
            }
            default -> throw stranger(activity);
        }
        activity.fail(MessageErrors.ofMemory(activity, why));
    }

    private void check(int rc, String operation, @Nullable Object where) {
        if (rc == 0) return;
        Fault e = Errors.of(rc, operation, where);
        if (e.scope() == Fault.Scope.JOB && poison == null) poison = e;
        throw e;
    }

    private static Fault stranger(Activity activity) {
        return Fault.argument(
                PredefinedErrorClass.ERR_REQUEST,
                activity.operation,
                "the activity is another engine's",
                activity.comm);
    }
}
