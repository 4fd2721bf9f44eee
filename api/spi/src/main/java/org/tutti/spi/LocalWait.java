package org.tutti.spi;

import org.jspecify.annotations.Nullable;

/// A wait for what no message alone brings to an end: other threads of this rank, or other ranks in memory that
/// they share, are to do something. See [Engine#await(LocalWait)].
public non-sealed interface LocalWait extends ObservedCall {
    /// The user's word for the call that waits: `await`, `awaitAny`, `lock`.
    String operation();

    /// What it waits for, in words: `await of psendInit(…; partitions 2, 3 not ready)`.
    String what();

    /// The same by somebody who knows the lines that other ranks have noted.
    default String what(LineTexts lines) {
        return what();
    }

    /// The lines of ranks, see [WindowPort#lockLine].
    @FunctionalInterface
    interface LineTexts {
        LineTexts NONE = (port, rank, line) -> "";

        /// `Ring.java:30`; empty where it is not known.
        ///
        /// @param rank of the port
        String text(CommPort port, int rank, int line);
    }

    /// Whether it may go on. May make progress; called by the waiting thread, which holds no lock of the engine's.
    /// Once true it stays so.
    boolean isOver();

    /// Whether messages of other ranks could end it, too.
    boolean alsoEndsByMessages();

    /// Whether it may end by what no rank does: a file's access, a process, a timer. Then nothing is proven by it.
    default boolean endsFromOutside() {
        return false;
    }

    /// The ranks of [#port] that must each do something before it is over, and ring this rank's bell when they
    /// have; null of a wait for other threads, which tell nobody.
    default int @Nullable [] awaited() {
        return null;
    }

    /// The communicator whose ranks it may wait for; null where they are any, or none.
    default @Nullable CommPort port() {
        return null;
    }
}
