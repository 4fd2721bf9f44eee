package org.tutti.spi;

/// A wait for what no message alone brings to an end: other threads of this rank are to do something, and
/// nobody tells the engine when they have. See [Engine#await(LocalWait)].
public interface LocalWait {
    /// The user's word for the call that waits: `await`, `awaitAny`.
    String operation();

    /// What it waits for, in words: `await of psendInit(…; partitions 2, 3 not ready)`.
    String what();

    /// Whether it may go on. May make progress; called by the waiting thread, which holds no lock of the
    /// engine's.
    boolean isOver();

    /// Whether messages of other ranks could end it, too.
    boolean alsoEndsByMessages();
}
