package org.tutti.job.status;

import java.util.BitSet;

/// An activity of a rank that has made no progress for some time: a thread that is blocked in a call, or a
/// nonblocking collective call with a schedule that waits for messages.
///
/// @param operation the operation's name in the API, for example `recv` or `barrier`
/// @param what the call with its values, for example `recv(source=1, tag=7) on WORLD`
/// @param line the source line of the user's call; empty if no thread waits for the activity
/// @param sends whether the wait is for a send, and not for a receive
/// @param sinceNanos the time of the beginning, by `System.nanoTime`, which is comparable between the processes
///     of a machine
/// @param polls the number of unsuccessful polls since then; 0 if no thread waits for the activity
/// @param wakers ranks of the world: only an action of one of these ranks can end the wait
/// @param call the call of the program that includes this activity
/// @param note a possible explanation, for example a queued message that does not match; may be empty
public record BlockedCall(
        String operation,
        String what,
        String line,
        boolean sends,
        long sinceNanos,
        long polls,
        BitSet wakers,
        Call call,
        String note) {
    /// The note of a wait in a library that does not expose the progress of a transfer, if data may be in
    /// transit.
    public static final String MOVES = "its data may still be moving";

    /// A collective call of the program, or one of the special values below.
    ///
    /// @param comm identifies the communicator on all ranks
    /// @param number the sequence number on that communicator, from 1
    /// @param needs ranks of the world, each of which must make the call before the call can end
    public record Call(long comm, long number, BitSet needs) {
        /// The call of the program is unknown.
        public static final Call UNKNOWN = new Call(0, 0, new BitSet());

        /// The wait is for messages of the program. A rank in `wakers` can end the wait only by starting a
        /// call.
        public static final Call MESSAGES = new Call(0, -1, new BitSet());

        /// A thread of the program polls instead of waiting in a call, or waits for a `CompletionStage`.
        public static final Call POLLED = new Call(0, -2, new BitSet());

        public boolean isCollective() {
            return number > 0;
        }
    }

    /// Creates a blocked call without a call of the program.
    public BlockedCall(
            String operation, String what, String line, boolean sends, long sinceNanos, long polls, BitSet wakers) {
        this(operation, what, line, sends, sinceNanos, polls, wakers, Call.UNKNOWN);
    }

    /// Creates a blocked call without a note.
    public BlockedCall(
            String operation,
            String what,
            String line,
            boolean sends,
            long sinceNanos,
            long polls,
            BitSet wakers,
            Call call) {
        this(operation, what, line, sends, sinceNanos, polls, wakers, call, "");
    }

    /// Returns a copy with a note.
    public BlockedCall explained(String newNote) {
        return new BlockedCall(operation, what, line, sends, sinceNanos, polls, wakers, call, newNote);
    }

    /// Returns whether a thread is blocked in this call.
    public boolean blocksAThread() {
        return polls > 0;
    }

    /// Returns whether the program polls instead of waiting in a call: the thread may do other work at any
    /// time.
    public boolean isPolled() {
        return call.equals(Call.POLLED);
    }

    /// Returns a copy with the time of a different clock.
    BlockedCall since(long nanos) {
        return new BlockedCall(operation, what, line, sends, nanos, polls, wakers, call, note);
    }

    /// Returns a copy in which the number of polls is 1 if a thread waits, and 0 otherwise.
    public BlockedCall withoutPolls() {
        return new BlockedCall(operation, what, line, sends, sinceNanos, blocksAThread() ? 1 : 0, wakers, call, note);
    }
}
