package org.tutti.futures;

import org.jspecify.annotations.Nullable;

/// Transport between the leading rank and the workers. Implemented by a communicator, and by a simulation in
/// tests.
interface PoolLink {
    /// Returns the number of ranks, including the leading rank.
    int size();

    /// Returns the leading rank.
    int rank();

    /// Starts to send a message.
    ///
    /// @throws RuntimeException when the message cannot be encoded; then no part of it has been sent
    Pending send(Object message, int worker, int tag);

    /// Returns the next answer of `worker`, or null if none has arrived.
    @Nullable
    Answer poll(int worker);

    /// Returns the next answer of any worker, or null if none has arrived.
    @Nullable
    Answer pollAny();

    /// Waits for the next answer of any worker.
    Answer await();

    /// A send in progress.
    @FunctionalInterface
    interface Pending {
        void await();
    }

    /// An answer that has arrived but has not been decoded.
    interface Answer {
        int source();

        long bytes();

        /// Receives and decodes the answer.
        ///
        /// @throws RuntimeException when the answer cannot be decoded; it is removed from the queue
        ///     nevertheless
        Object @Nullable [] receive();
    }
}
