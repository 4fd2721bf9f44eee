package org.tutti.spi;

import org.jspecify.annotations.Nullable;

/// One rank's access to its job: what every engine must do. All methods may be called by any thread.
///
/// Whoever wants to see what passes is an [Observer], which the caller tells; an engine is never wrapped. So
/// what an engine can do beyond this is there to be asked for ([#power]).
///
/// Failures are of three kinds (see [Fault]): arguments were checked before; what concerns one activity is its
/// [Activity#failure]; what concerns the job is thrown from every later call.
public interface Engine {
    /// What it is; known from the start.
    EngineInfo info();

    /// Makes communicators and frees them.
    Communicators communicators();

    /// Ends this rank's part in the job, or the job.
    JobControl job();

    /// What it can do beyond what every engine must; null where it cannot.
    <P extends Power> @Nullable P power(Class<P> kind);

    /// Gives off-heap memory to this rank.
    Allocator allocator();

    /// A blank message of this engine.
    Transfer transfer();

    /// A blank collective call of this engine.
    Collective collective();

    /// Begins it; returns without waiting for anybody. Collective calls on one communicator are started
    /// in the same order on every rank.
    void start(Activity activity);

    /// Begins it and waits until it is done: the blocking calls, and an engine's chance to be quick.
    void run(Activity activity);

    /// Makes progress, then tells whether it is done.
    boolean test(Activity activity);

    /// Waits until it is done.
    void await(Activity activity);

    /// Waits until it is over; makes progress meanwhile.
    void await(LocalWait wait);

    /// Waits until one of the first `count` is done; returns its index. None of them is idle from the start.
    int awaitAny(Activity[] activities, int count);

    /// Withdraws a receive that has not matched. It is done afterwards either way, [Transfer#cancelled] tells
    /// which.
    void cancel(Transfer receive);

    /// Looks for a message that `pattern`, a receive that was not started, would match; fills in source, tag
    /// and length. With `wait`, waits for one. With `take`, the message found is the pattern's: nobody else
    /// matches it, `pattern.matched` is set, and starting the pattern receives it (MPI 4.1, section 3.8.2).
    boolean probe(Transfer pattern, boolean wait, boolean take);
}
