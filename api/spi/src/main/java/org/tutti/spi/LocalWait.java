package org.tutti.spi;

import org.jspecify.annotations.Nullable;

/// A wait that can end without a message: when other threads of this rank act, when other ranks act through
/// shared memory, or when an event outside of the ranks occurs. See [Engine#await(LocalWait)].
public non-sealed interface LocalWait extends ObservedCall {
    /// Returns the name, in the API, of the waiting call, for example `await`, `awaitAny` or `lock`.
    String operation();

    /// Returns a description of the wait, for example `await of psendInit(…; partitions 2, 3 not ready)`.
    String what();

    /// Returns the description of the wait, with the source lines that other ranks have recorded.
    default String what(LineTexts lines) {
        return what();
    }

    /// The source lines of ranks; see [WindowPort#lockLine].
    @FunctionalInterface
    interface LineTexts {
        LineTexts NONE = (port, rank, line) -> "";

        /// Returns the source line, for example `Ring.java:30`; an empty string if the line is not known.
        ///
        /// @param rank a rank of the port
        String text(CommPort port, int rank, int line);
    }

    /// Returns whether the wait is over. May make progress. Called by the waiting thread, which does not hold a
    /// lock of the engine. Once the method has returned true, it always returns true.
    boolean isOver();

    /// Returns whether other ranks can end the wait, by messages or through shared memory.
    boolean completesByMessages();

    /// Returns whether an event outside of the ranks can end the wait: for example an access to a file, a
    /// process or a timer. Such a wait does not prove a deadlock.
    default boolean isCompletedExternally() {
        return false;
    }

    /// Returns the ranks of [#port] that must all act before the wait is over. Each of these ranks wakes this
    /// rank after it has acted. Null for any other wait, for example for other threads of this rank or for a
    /// file: the end of such a wait does not wake the waiting thread.
    default int @Nullable [] awaited() {
        return null;
    }

    /// Returns the communicator whose ranks can end the wait; null if the wait is not limited to the ranks of
    /// one communicator, or if no rank can end the wait.
    default @Nullable CommPort port() {
        return null;
    }
}
