package org.tutti.job.status;

import java.util.BitSet;

/// Something of a rank that has not gone on for a while: a thread that is blocked in a call, or a nonblocking
/// collective call whose schedule waits for messages.
///
/// @param operation the user's word: `recv`, `barrier`
/// @param what the call with its values: `recv(source=1, tag=7) on WORLD`
/// @param line where the user called it; empty for what no thread waits for
/// @param sends it waits to be rid of a message, otherwise to be given one
/// @param sinceNanos when it began, `System.nanoTime`, comparable between the processes of one machine
/// @param looks how often it has looked, since then, and found nothing; 0 for what no thread waits for
/// @param wakers ranks of the world: only what one of them does can end it
/// @param call what of the program's it is part of
/// @param note what may explain it: a message that is queued and does not match; empty where nothing does
public record BlockedCall(
        String operation,
        String what,
        String line,
        boolean sends,
        long sinceNanos,
        long looks,
        BitSet wakers,
        Call call,
        String note) {
    /// The note of a wait over a library whose data may still be on its way: the library does not show how far it is.
    public static final String MOVES = "its data may still be moving";

    /// A collective call of the program, or that there is none.
    ///
    /// @param comm what identifies its communicator on all ranks
    /// @param number its sequence number on that communicator, from 1
    /// @param needs ranks of the world, each of which must make the call, too, before it can end
    public record Call(long comm, long number, BitSet needs) {
        /// It is not known what the wait is part of.
        public static final Call UNKNOWN = new Call(0, 0, new BitSet());

        /// It is for messages of the program alone: none of the wakers can end it but by a call that it
        /// begins.
        public static final Call MESSAGES = new Call(0, -1, new BitSet());

        /// A thread of the program asks for it again and again instead of waiting in a call, or waits for a stage.
        public static final Call POLLED = new Call(0, -2, new BitSet());

        public boolean isCollective() {
            return number > 0;
        }
    }

    /// Of which no more is known.
    public BlockedCall(
            String operation, String what, String line, boolean sends, long sinceNanos, long looks, BitSet wakers) {
        this(operation, what, line, sends, sinceNanos, looks, wakers, Call.UNKNOWN);
    }

    /// Without a note.
    public BlockedCall(
            String operation,
            String what,
            String line,
            boolean sends,
            long sinceNanos,
            long looks,
            BitSet wakers,
            Call call) {
        this(operation, what, line, sends, sinceNanos, looks, wakers, call, "");
    }

    /// The same wait with a note.
    public BlockedCall explained(String newNote) {
        return new BlockedCall(operation, what, line, sends, sinceNanos, looks, wakers, call, newNote);
    }

    /// Whether a thread is blocked in it.
    public boolean blocksAThread() {
        return looks > 0;
    }

    /// Whether the program polls instead of waiting in a call: its thread may do something else at any time.
    public boolean isPolled() {
        return call.equals(Call.POLLED);
    }

    /// The same wait by another clock.
    BlockedCall since(long nanos) {
        return new BlockedCall(operation, what, line, sends, nanos, looks, wakers, call, note);
    }

    /// The same wait, however often it has looked.
    public BlockedCall withoutLooks() {
        return new BlockedCall(operation, what, line, sends, sinceNanos, blocksAThread() ? 1 : 0, wakers, call, note);
    }
}
