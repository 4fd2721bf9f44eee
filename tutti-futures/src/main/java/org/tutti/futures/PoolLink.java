package org.tutti.futures;

import org.jspecify.annotations.Nullable;

/// The messages between the leading rank and its workers, as [Dispatcher] uses them: a communicator, or a simulation
/// in tests.
interface PoolLink {
    /// Returns the number of ranks, with the leading one.
    int size();

    /// Returns the leading rank.
    int rank();

    /// Starts to send a message, and returns what waits until it has been sent.
    ///
    /// @throws RuntimeException when the message cannot be encoded; no part of it has been sent
    Pending send(Object message, int worker, int tag);

    /// Returns the next answer of `worker` if there is one.
    @Nullable
    Answer poll(int worker);

    /// Returns the next answer of any worker if there is one.
    @Nullable
    Answer pollAny();

    /// Waits for the next answer of any worker.
    Answer await();

    /// A send under way.
    @FunctionalInterface
    interface Pending {
        void await();
    }

    /// An answer that has arrived and has not been decoded.
    interface Answer {
        int source();

        long bytes();

        /// Receives and decodes it.
        ///
        /// @throws RuntimeException when it cannot be decoded; it has been received nevertheless
        Object @Nullable [] receive();
    }
}
