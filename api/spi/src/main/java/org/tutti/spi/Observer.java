package org.tutti.spi;

import java.util.List;

/// Watches the calls that a program makes of an engine: a recorder, a checker of collective calls, a log.
///
/// Whoever calls the engine tells it before and after each call, in the calling thread. Each `begins` is
/// followed by `returns` with the same arguments, or by [#fails] where the engine, or an observer further
/// in, has thrown.
public interface Observer {
    /// What is called.
    enum Verb {
        RUN,
        START,
        TEST,
        AWAIT,
        CANCEL,
        AWAIT_ANY,
        AWAIT_LOCAL,
        PROBE,
        IPROBE,
        CREATE,
        ACCESS,
        FILE
    }

    /// [Verb#RUN] to [Verb#CANCEL].
    ///
    /// @throws Fault when it must not be called
    default void begins(Activity activity, Verb verb) {}

    /// @throws Fault when something has been found that ends the job
    default void returns(Activity activity, Verb verb) {}

    /// A wait for one of several.
    default void begins(Activity[] activities, int count) {}

    /// @param which is done
    default void returns(Activity[] activities, int count, int which) {}

    default void begins(LocalWait wait) {}

    default void returns(LocalWait wait) {}

    /// See [Engine#probe].
    default void begins(Transfer pattern, boolean wait, boolean take) {}

    default void returns(Transfer pattern, boolean wait, boolean take, boolean found) {}

    default void begins(CommCreation creation) {}

    default void returns(CommCreation creation) {}

    /// An access to a window: as short as some nanoseconds, so whoever listens to all does as little.
    default void begins(WindowPort window, Access access) {}

    default void returns(WindowPort window, Access access) {}

    /// A lock of a window's target is about to be asked for, whether or not that takes a wait: as short as an access.
    default void locks(WindowPort window, int target) {}

    /// An access of one rank to a file; what ranks do together for a file are collective calls of their own.
    default void begins(FileAccess access) {}

    /// @param done how many bytes were read or written; 0 of one that was started
    default void returns(FileAccess access, long done) {}

    /// It is over, also one that was started; by the thread that has run it.
    default void ended(FileAccess access, boolean failed) {}

    /// The thread's call that began last has thrown.
    default void fails(Verb verb) {}

    /// The rank is about to leave.
    default void leaving() {}

    /// The rank has left.
    default void left() {}

    /// The rank is about to end the job.
    default void aborts() {}

    /// What may explain that `activity` cannot go on, in a few words; empty where this one does not know.
    default String explain(Activity activity) {
        return "";
    }

    /// Where messages were sent that were never received, as far as this one knows: `A.java:7, A.java:9`;
    /// empty where it does not. `open` are the communicators there are.
    default String linesOfUnreceived(List<CommPort> open) {
        return "";
    }
}
