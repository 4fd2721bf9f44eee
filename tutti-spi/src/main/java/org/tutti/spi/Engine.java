package org.tutti.spi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// One rank's access to its job. All methods may be called by any thread.
///
/// Failures of three kinds (see [Fault]): arguments were checked before; what
/// concerns one activity is its [Activity#failure]; what concerns the job is thrown from every later
/// call.
public interface Engine {
    /// `shm`, `libmpi`.
    String name();

    /// For people: library and version, transport.
    String description();

    String processorName();

    /// The largest tag there may be; at least 32767 (MPI 4.1, section 9.1.2).
    int tagUpperBound();

    CommPort world();

    CommPort self();

    /// A new communicator for each `color`; ranks ordered by `key`, then by rank in `parent`. A negative
    /// color takes part and gets null. Collective and blocking. The caller names what it gets, here and
    /// from the next three. MPI 4.1, section 7.4.2.
    @Nullable
    CommPort split(CommPort parent, int color, int key);

    /// The same group in a new context. Collective and blocking.
    CommPort dup(CommPort parent);

    /// Begins what [#dup] does; what is returned is started. Its order among the collective calls on `parent`
    /// is that of this call.
    Collective startDup(CommPort parent);

    /// What [#startDup] began and is done, without failure.
    CommPort finishDup(Collective done);

    /// As [#split], by the machine: a communicator for the ranks of each node that share memory, ordered by
    /// `key`. MPI 4.1, section 7.4.2.
    CommPort splitShared(CommPort parent, int key);

    /// A communicator of some of `parent`'s ranks, in this order. Collective over those ranks alone,
    /// which all pass the same `ranks` and `tag`; the caller is one of them. `MPI_Comm_create_group`,
    /// section 7.4.2.
    CommPort createGroup(CommPort parent, int[] ranks, int tag);

    /// Gives back what the port holds. Local as far as the engine can.
    void free(CommPort port);

    /// A blank message of this engine.
    Transfer transfer();

    /// A blank collective call of this engine.
    Collective collective();

    /// Begins it; returns without waiting for anybody. Collective calls on one communicator are started
    /// in the same order on every rank.
    void start(Activity activity);

    /// Makes progress, then tells whether it is done.
    boolean test(Activity activity);

    /// Waits until it is done.
    void await(Activity activity);

    /// Waits until it is over; makes progress meanwhile.
    void await(LocalWait wait);

    /// Waits until one of the first `count` is done; returns its index. None of them is idle from the start.
    int awaitAny(Activity[] activities, int count);

    /// Begins it and waits until it is done: the blocking calls, and an engine's chance to be quick.
    void run(Activity activity);

    /// Withdraws a receive that has not matched. It is done afterwards either way, [Transfer#cancelled] tells
    /// which.
    void cancel(Transfer receive);

    /// Looks for a message that `pattern`, a receive that was not started, would match; fills in source, tag
    /// and length. With `wait`, waits for one. With `take`, the message found is the pattern's: nobody else
    /// matches it, `pattern.matched` is set, and starting the pattern receives it (MPI 4.1, section 3.8.2).
    boolean probe(Transfer pattern, boolean wait, boolean take);

    /// Whether `send`, which is not done, will be received even after this rank has left: its bytes lie where
    /// the receiver finds them.
    default boolean outlives(Transfer send) {
        return send.isDone();
    }

    /// What users' messages, as far as this engine can tell, will never be received: those that lie here,
    /// and those of this rank to ranks that have left. Asked of a rank that is about to leave or has
    /// left, of which no request is pending. Text for an error; null when there are none. Never waits.
    default @Nullable String unreceived() {
        return null;
    }

    /// Off-heap memory that this engine moves best, 64-byte aligned, zeroed; until the rank ends.
    MemorySegment allocate(long bytes);

    /// This rank is done, cleanly: it will start nothing more. Local; waits for nobody.
    void leave();

    /// Ends the job, all its ranks, with `code`. Never returns normally when the rank is a process.
    void abort(int code, String why);

    /// What every later call throws, once the job has failed; null while it has not.
    @Nullable
    RuntimeException poison();
}
