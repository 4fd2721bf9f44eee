package org.tutti.spi;

import org.jspecify.annotations.Nullable;

/// A wait that a message does not end: other threads of this rank, or other ranks through shared memory, must
/// act. See [Engine#await(LocalWait)].
public non-sealed interface LocalWait extends ObservedCall {
    /// Returns the name in the API of the waiting call: `await`, `awaitAny`, `lock`.
    String operation();

    /// Returns a description of the wait: `await of psendInit(…; partitions 2, 3 not ready)`.
    String what();

    /// Returns the description with the lines that other ranks have recorded.
    default String what(LineTexts lines) {
        return what();
    }

    /// The lines of ranks; see [WindowPort#lockLine].
    @FunctionalInterface
    interface LineTexts {
        LineTexts NONE = (port, rank, line) -> "";

        /// Returns `Ring.java:30`; empty if the line is not known.
        ///
        /// @param rank a rank of the port
        String text(CommPort port, int rank, int line);
    }

    /// Returns whether the wait is over. May make progress. Called by the waiting thread without locks of the
    /// engine. Stays true once it is true.
    boolean isOver();

    /// Returns whether messages of other ranks could also end the wait.
    boolean completesByMessages();

    /// Returns whether an event outside of the ranks can end the wait: an access to a file, a process, a timer.
    /// Such a wait proves no deadlock.
    default boolean isCompletedExternally() {
        return false;
    }

    /// Returns the ranks of [#port] that must each act before the wait is over, and then wake this rank; null
    /// for a wait for other threads, which wake no rank.
    default int @Nullable [] awaited() {
        return null;
    }

    /// Returns the communicator with the ranks that can end the wait; null for any ranks, or none.
    default @Nullable CommPort port() {
        return null;
    }
}
