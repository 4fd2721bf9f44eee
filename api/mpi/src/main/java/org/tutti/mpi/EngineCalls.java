package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Access;
import org.tutti.spi.Activity;
import org.tutti.spi.Allocator;
import org.tutti.spi.Collective;
import org.tutti.spi.CommCreation;
import org.tutti.spi.CommPort;
import org.tutti.spi.Communicators;
import org.tutti.spi.CreationKey;
import org.tutti.spi.Engine;
import org.tutti.spi.EngineInfo;
import org.tutti.spi.Fault;
import org.tutti.spi.FileAccess;
import org.tutti.spi.JobControl;
import org.tutti.spi.LibrarySpawning;
import org.tutti.spi.LocalWait;
import org.tutti.spi.MessageAudit;
import org.tutti.spi.MessageErrors;
import org.tutti.spi.ObservedCall;
import org.tutti.spi.Observer;
import org.tutti.spi.Observer.Verb;
import org.tutti.spi.Power;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.Spawning;
import org.tutti.spi.Transfer;
import org.tutti.spi.WaitAny;
import org.tutti.spi.type.ElementType;

/// The only interface between the user API and a rank's engine. This class notifies observers of each call, and
/// converts a [Fault] of an engine to an [MpiException].
///
/// It also sets the identity of communicators. The identity is computed from values that are equal on all
/// ranks, so no message is needed.
final class EngineCalls {
    private static final long WORLD = 1;
    private static final long SHARED = 0x5348415245444eL,
            GROUP = 0x47524f5550L,
            DUP = 0x445550L,
            SELF = 0x53454c46L,
            WINDOW = 0x57494eL,
            REQUEST = 0x524551L;
    private static final long FACTOR = 0x9e3779b97f4a7c15L;

    private final Engine engine;
    private final Allocator allocator;
    private final EngineInfo info;
    private final Communicators communicators;
    private final JobControl job;
    private final @Nullable MessageAudit audit;
    private final @Nullable Observer observer;

    /// The communicators that are open.
    private final Set<CommPort> ports = ConcurrentHashMap.newKeySet();

    /// The number of groups created so far for each combination of parent, members and tag. The key is a hash
    /// of the combination.
    private final Map<Long, Integer> groups = new ConcurrentHashMap<>();

    private final AtomicInteger keys = new AtomicInteger();

    EngineCalls(Engine engine, @Nullable Observer observer) {
        this.engine = engine;
        this.observer = observer;
        info = engine.info();
        communicators = engine.communicators();
        job = engine.job();
        allocator = engine.allocator();
        audit = engine.power(MessageAudit.class);
        identified(world(), WORLD);
        self().identify(mixed(SELF, world().rank()));
    }

    EngineInfo info() {
        return info;
    }

    CommPort world() {
        return communicators.world();
    }

    CommPort self() {
        return communicators.self();
    }

    int @Nullable [] ranksOfMachine() {
        return communicators.ranksOfMachine();
    }

    private static long mixed(long a, long b) {
        long m = (a ^ b * FACTOR) * FACTOR;
        return m ^ m >>> 32;
    }

    private CommPort identified(CommPort made, long id) {
        made.identify(id);
        ports.add(made);
        return made;
    }

    /// Returns the number of the next collective call on `parent`.
    private static long nextCall(CommPort parent) {
        return parent.calls() + 1;
    }

    <T extends @Nullable Object> T create(CommCreation creation, Supplier<T> maker) {
        Made<T> made = new Made<>(maker);
        call(Verb.CREATE, creation, made);
        return made.get();
    }

    /// Executes a call that has a result, and stores the result.
    private static final class Made<T extends @Nullable Object> implements Runnable {
        private final Supplier<T> maker;
        private @Nullable T made;

        Made(Supplier<T> maker) {
            this.maker = maker;
        }

        @Override
        public void run() {
            made = maker.get();
        }

        @SuppressWarnings("NullAway") // null only if the maker has returned null
        T get() {
            return made;
        }
    }

    @Nullable
    CommPort split(CommPort parent, int color, int key) {
        CommCreation creation = new CommCreation("split", parent, nextCall(parent));
        CommPort made = create(creation, () -> communicators.split(parent, color, key));
        return made == null ? null : identified(made, mixed(mixed(parent.id(), creation.call), color));
    }

    CommPort dup(CommPort parent) {
        CommCreation creation = new CommCreation("dup", parent, nextCall(parent));
        CommPort made = create(creation, () -> communicators.dup("dup", parent));
        return identified(made, mixed(mixed(parent.id(), creation.call), DUP));
    }

    /// Creates the communicator of a window. Observers are notified only of the window's creation, of which
    /// this call is a part.
    CommPort dupForWindow(CommCreation creation) {
        CommPort parent = creation.parent;
        return identified(
                communicators.dup(creation.operation, parent), mixed(mixed(parent.id(), creation.call), WINDOW));
    }

    /// Creates the communicator of a persistent collective request. Each request has a separate communicator,
    /// so that starts of different requests never match, and each rank may start several requests in any order.
    /// Errors show the name of `parent`.
    CommPort dupForRequest(String operation, CommPort parent) {
        CommCreation creation = new CommCreation(operation, parent, nextCall(parent));
        CommPort made = create(creation, () -> communicators.dup(operation, parent));
        made.name(parent.name());
        if (parent.isInter()) made.twoGroups(Math.max(parent.localBase(), parent.peerBase()));
        made.idle(parent.isIdle());
        made.outlivesRanks(parent.outlivesRanks());
        made.failsTogether(parent.failsTogether());
        return identified(made, mixed(mixed(parent.id(), creation.call), REQUEST));
    }

    Collective startDup(CommPort parent) {
        CommCreation creation = new CommCreation("idup", parent, nextCall(parent));
        return create(creation, () -> {
            Collective started = communicators.startDup(parent);
            creation.started(started);
            return started;
        });
    }

    CommPort finishDup(Collective done) {
        CommPort made = gate(() -> communicators.finishDup(done));
        return identified(made, mixed(mixed(done.port().id(), done.sequence), DUP));
    }

    @Nullable
    CommPort splitShared(CommPort parent, int color, int key) {
        CommCreation creation = new CommCreation("splitShared", parent, nextCall(parent));
        CommPort made = create(creation, () -> communicators.splitShared(parent, color, key));
        if (made == null) return null;
        // the parts are machines, which have no color, so a part is identified by the process of its first rank
        return identified(made, mixed(mixed(mixed(parent.id(), creation.call), SHARED), made.process(0)));
    }

    CommPort createGroup(CommPort parent, int[] ranks, int tag) {
        CommCreation creation = new CommCreation("createGroup", parent, 0);
        return group(creation, ranks, tag, () -> communicators.createGroup(parent, ranks, tag));
    }

    /// Returns a key for the creation of a communicator. No other creation in any process of the job has this
    /// key.
    CreationKey drawKey() {
        CommPort world = world();
        return new CreationKey(world.process(world.rank()), keys.incrementAndGet());
    }

    /// Creates a communicator without a parent. Some of the processes may be in different worlds.
    CommPort createOfProcesses(String operation, int[] processes, CreationKey key) {
        CommPort world = world();
        Set<Integer> own =
                IntStream.range(0, world.size()).mapToObj(world::process).collect(Collectors.toSet());
        boolean abroad = !Arrays.stream(processes).allMatch(own::contains);
        CommCreation creation = new CommCreation("createGroup", world, 0, abroad);
        long identity = mixed(key.process(), key.number());
        Supplier<CommPort> maker = () -> communicators.createOfProcesses(operation, processes, key);
        // a key from drawKey is unique, but a name may be used for several creations, which are therefore
        // counted
        return key.isName()
                ? group(creation, processes, identity, maker)
                : identified(create(creation, maker), mixed(mixed(GROUP, identity), Arrays.hashCode(processes)));
    }

    private CommPort group(CommCreation creation, int[] members, long tag, Supplier<CommPort> maker) {
        long same = mixed(mixed(mixed(creation.parent.id(), GROUP), tag), Arrays.hashCode(members));
        int times = groups.merge(same, 1, Integer::sum);
        return identified(create(creation, maker), mixed(same, times));
    }

    /// See [Engine#power].
    <P extends Power> @Nullable P power(Class<P> kind) {
        return engine.power(kind);
    }

    /// See [LibrarySpawning#start].
    void start(LibrarySpawning library, CommPort parents, String invitation, List<LibrarySpawning.Command> commands) {
        create(CommCreation.ofSpawned(parents), () -> {
            library.start(invitation, commands);
            return parents;
        });
    }

    /// See [LibrarySpawning#meet].
    CommPort meet(LibrarySpawning library, CommPort parents, int root, String invitation) {
        return known(create(CommCreation.ofSpawned(parents), () -> library.meet(parents, root, invitation)));
    }

    /// Registers a communicator that the engine has created.
    CommPort known(CommPort made) {
        ports.add(made);
        return made;
    }

    /// See [Spawning#meet].
    CommPort meet(Spawning spawning, String invitation) {
        return known(spawning.meet(invitation));
    }

    @Nullable
    Observer observer() {
        return observer;
    }

    void free(CommPort port) {
        ports.remove(port);
        gate(() -> communicators.free(port));
    }

    Transfer transfer() {
        return engine.transfer();
    }

    Collective collective() {
        return engine.collective();
    }

    void start(Activity activity) {
        call(Verb.START, activity, null);
    }

    /// Runs an activity as [#call] does. This is a separate method, so that the JVM inlines it into the
    /// blocking calls.
    void run(Activity activity) {
        Observer o = observer;
        try {
            if (o != null) o.begins(Verb.RUN, activity);
            try {
                engine.run(activity);
            } catch (RuntimeException | Error e) {
                if (o != null) o.fails(Verb.RUN);
                throw e;
            }
            if (o != null) o.returns(Verb.RUN, activity);
        } catch (Fault f) {
            throw explained(f, activity);
        } catch (WrongThreadException | IllegalStateException e) {
            throw ofMemory(activity, e);
        }
    }

    boolean test(Activity activity) {
        call(Verb.TEST, activity, null);
        return activity.isDone();
    }

    void await(Activity activity) {
        call(Verb.AWAIT, activity, null);
    }

    void cancel(Transfer receive) {
        call(Verb.CANCEL, receive, null);
    }

    /// Called after the failure of a call that may have started a receive: cancels the receive, or waits for it
    /// if it has matched a message.
    void withdraw(@Nullable Transfer receive, Throwable why) {
        if (receive == null) return;
        try {
            cancel(receive);
            await(receive);
        } catch (RuntimeException e) {
            why.addSuppressed(e);
        }
    }

    /// Executes a call: notifies observers before and after the call, and converts faults into exceptions. The
    /// verb is a constant after this method has been inlined into the caller.
    ///
    /// @param action the action of a creation or of a file access; null for all other verbs
    @SuppressWarnings("NullAway") // an access that runs has a window
    void call(Verb verb, ObservedCall call, @Nullable Runnable action) {
        Observer o = observer;
        try {
            if (o != null) o.begins(verb, call);
            try {
                switch (verb) {
                    case START -> engine.start((Activity) call);
                    case TEST -> engine.test((Activity) call);
                    case AWAIT -> engine.await((Activity) call);
                    case ACCESS -> {
                        Access access = (Access) call;
                        access.window.run(access);
                    }
                    case PROBE, IPROBE, MPROBE, IMPROBE -> {
                        Transfer pattern = (Transfer) call;
                        pattern.found = engine.probe(pattern, verb.waits, verb.takes);
                    }
                    default -> make(verb, call, action);
                }
            } catch (RuntimeException | Error e) {
                if (o != null) o.fails(verb);
                throw e;
            }
            if (o != null) o.returns(verb, call);
        } catch (Fault f) {
            throw explained(f, call);
        } catch (WrongThreadException | IllegalStateException e) {
            throw ofMemory(call, e);
        }
    }

    @SuppressWarnings("NullAway") // the first `count` activities of a WaitAny are not null
    private void make(Verb verb, ObservedCall call, @Nullable Runnable action) {
        switch (verb) {
            case CANCEL -> engine.cancel((Transfer) call);
            case AWAIT_ANY -> {
                WaitAny any = (WaitAny) call;
                any.which = engine.awaitAny(any.activities, any.count);
            }
            case AWAIT_LOCAL -> engine.await((LocalWait) call);
            case CREATE, FILE -> Objects.requireNonNull(action).run();
            default -> throw new IllegalStateException(verb.toString());
        }
    }

    /// Converts a fault to an exception. If the fault ends a wait that would otherwise last forever, adds a
    /// possible explanation, for example that there is a message with a different tag.
    private MpiException explained(Fault fault, ObservedCall call) {
        Observer o = observer;
        if (o == null || fault.errorClass() != PredefinedErrorClass.ERR_PROC_FAILED) return MpiException.of(fault);
        String why = call instanceof Activity activity ? o.explain(activity) : "";
        return why.isEmpty() ? MpiException.of(fault) : MpiException.of(fault, "; " + why);
    }

    /// If `e` means that a message or an access cannot use memory, returns the error for this. Returns other
    /// exceptions unchanged.
    private static RuntimeException ofMemory(ObservedCall call, RuntimeException e) {
        return switch (call) {
            case Activity activity -> MpiException.asRuntime(MessageErrors.ofMemory(activity, e));
            case Access access
            when access.window != null ->
                MpiException.asRuntime(MessageErrors.ofMemory(access.operation, access.window.port(), e));
            default -> e;
        };
    }

    /// Executes a call without notifying observers. Like [#call], converts a fault of the engine into an
    /// exception.
    static <T extends @Nullable Object> T gate(Supplier<T> call) {
        try {
            return call.get();
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    static void gate(Runnable call) {
        try {
            call.run();
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    /// Waits until `wait` is over.
    void await(@Nullable LocalWait wait) {
        if (wait == null) return;
        if (wait.isOver()) gate(() -> engine.await(wait));
        else call(Verb.AWAIT_LOCAL, wait, null);
    }

    int awaitAny(WaitAny any) {
        call(Verb.AWAIT_ANY, any, null);
        return any.which;
    }

    /// Reserves a message that matches `pattern`, if such a message is available. Polls once, without notifying
    /// observers.
    boolean take(Transfer pattern) {
        return gate(() -> engine.probe(pattern, false, true));
    }

    /// Polls the engine without notifying observers.
    void move() {
        Transfer nothing = transfer();
        nothing.fill("progress", world(), Transfer.Kind.RECV, Transfer.ANY_SOURCE, Transfer.ANY_TAG, ElementType.BYTE);
        gate(() -> engine.probe(nothing, false, false));
    }

    /// Returns whether `send`, which is not done, will be received even after this rank has left.
    boolean outlives(Transfer send) {
        return audit == null ? send.isDone() : audit.outlives(send);
    }

    /// Describes the messages that will never be received, with the source lines of the sends if known. Returns
    /// null if no such message exists.
    @Nullable
    String unreceived() {
        String lost = audit == null ? null : gate(audit::unreceived);
        if (lost == null || observer == null) return lost;
        String lines = gate(() -> observer.linesOfUnreceived(new ArrayList<>(ports)));
        return lines.isEmpty() ? lost : lost + ", sent at " + lines;
    }

    /// Runs a collective call. If the call fails, throws the exception with which it failed.
    void complete(Collective call) {
        run(call);
        Throwable why = call.failure();
        if (why != null) throw MpiException.asRuntime(why);
    }

    /// Returns whether calls are observed.
    boolean isWatched() {
        return observer != null;
    }

    /// Runs one rank's access to a file. The engine does not take part, but observers are notified. Returns the
    /// number of bytes transferred.
    long run(FileAccess access, LongSupplier what) {
        call(Verb.FILE, access, () -> {
            boolean failed = true;
            try {
                access.done = what.getAsLong();
                failed = false;
            } finally {
                if (failed || !access.starts) ended(access, failed);
            }
        });
        return access.done;
    }

    /// Called when an access that has been started is complete.
    void ended(FileAccess access, boolean failed) {
        if (observer != null) observer.ended(access, failed);
    }

    // ---- memory

    MemorySegment allocate(long bytes) {
        return gate(() -> allocator.allocate(bytes));
    }

    Allocator allocator() {
        return allocator;
    }

    void free(MemorySegment memory) {
        gate(() -> allocator.free(memory));
    }

    /// Called before the rank searches for remaining messages and disconnects.
    void leaving() {
        if (observer != null) gate(observer::leaving);
    }

    void leave() {
        gate(() -> {
            job.leave();
            if (observer != null) observer.left();
        });
    }

    void abort(int code, String why) {
        gate(() -> {
            if (observer != null) observer.aborts();
            job.abort(code, why);
        });
    }

    /// Fails this engine with the failure that `other`, a different engine of this rank, has reported.
    void failWith(EngineCalls other) {
        if (other.job.poison() instanceof Fault why) job.fail(why);
    }

    /// Returns the failure of the job; null if it has not failed.
    @Nullable
    Throwable poison() {
        return job.poison();
    }

    /// Throws the exception with which a completed transfer has failed, if it has failed.
    static void throwFailure(Transfer t) {
        Throwable why = t.failure();
        if (why != null) throw MpiException.asRuntime(why);
    }
}
