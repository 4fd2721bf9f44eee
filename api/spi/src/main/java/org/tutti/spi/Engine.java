package org.tutti.spi;

import org.jspecify.annotations.Nullable;

/// A rank's access to the job: the operations that every engine must implement. Thread-safe.
///
/// Calls are watched by an [Observer], which the caller notifies; an engine is never wrapped. Therefore the
/// optional capabilities of an engine can be queried by [#power].
///
/// For an engine, failures have three scopes (see [Fault]). A wrong argument is detected by the caller, before
/// the engine is called. The failure of an activity is stored in [Activity#failure]. After the job has failed,
/// every later call throws the failure of the job.
public interface Engine {
    /// Returns properties of the engine, which do not change.
    EngineInfo info();

    /// Returns the interface that creates and frees communicators.
    Communicators communicators();

    /// Returns the interface that ends this rank's part of the job, or the job.
    JobControl job();

    /// Returns an optional capability; null if the engine does not have it.
    <P extends Power> @Nullable P power(Class<P> kind);

    /// Returns the allocator of off-heap memory for this rank.
    Allocator allocator();

    /// Returns a blank message.
    Transfer transfer();

    /// Returns a blank collective call.
    Collective collective();

    /// Starts an activity and returns without waiting for other ranks. All ranks start the collective calls on
    /// a communicator in the same order.
    void start(Activity activity);

    /// Starts an activity and waits until it is done. Blocking calls use this method, so an engine can optimize
    /// it.
    void run(Activity activity);

    /// Makes progress, then returns whether the activity is done.
    boolean test(Activity activity);

    /// Waits until the activity is done.
    void await(Activity activity);

    /// Makes progress until the wait is over.
    void await(LocalWait wait);

    /// Waits until one of the first `count` activities is done, and returns the index of that activity. At
    /// least one is active.
    int awaitAny(Activity[] activities, int count);

    /// Cancels a receive if it has not matched a message: the receive is then done, and [Transfer#cancelled] is
    /// set. A receive that has matched a message is not cancelled, and receives the message.
    void cancel(Transfer receive);

    /// Searches for a message that `pattern` would match, and fills in source, tag and length. `pattern` is a
    /// receive that has not been started. Returns whether such a message was found. With `wait`, waits for a
    /// message. With `take`, the message is reserved for the pattern: no other receive can match it,
    /// `pattern.matched` is set, and when the pattern is started, it receives this message (MPI 4.1, section
    /// 3.8.2).
    boolean probe(Transfer pattern, boolean wait, boolean take);
}
