package org.tutti.libmpi;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.tutti.coll.ScheduleRunner;
import org.tutti.spi.Collective;

/// One collective call, and what the library is doing about it.
final class NativeCollective extends Collective {
    /// While it is issued: the issuing thread's, and whether the library's blocking function is called.
    @Nullable
    NativeScratch scratch;

    boolean blocking;

    /// Pending requests: one, or one per part of a reduction that is too long for one call.
    long[] requests = new long[1];

    int pending;

    /// Room lent to the library while the requests are pending, given back on completion.
    Staging.@Nullable Block sendBlock;

    Staging.@Nullable Block recvBlock;
    Staging.@Nullable Block argumentBlock;

    /// Where the result of heap memory is to be copied from; null if it went to its place.
    @Nullable
    MemorySegment result;

    /// The operation, if it is computed in Java; this call's own until it is complete.
    @Nullable
    NativeOp nativeOp;

    /// What the library is told about `send` and `recv`, by the calls that move blocks.
    final CallArguments sent = new CallArguments();

    final CallArguments received = new CallArguments();

    /// Does it where the library does not; null until it is needed.
    @Nullable
    ScheduleRunner runner;

    /// Of one that a schedule does: the bytes it sends and receives.
    long scheduledBytes;

    /// Whether it is a duplication that [StepwiseDups] advances, until it is used for another call.
    boolean isStepwise;

    /// Whether it is made of messages, because Tutti calls no function of the library for it.
    boolean isScheduled() {
        return inter || typedByMessage() || op != null && op.isInRankOrder();
    }

    NativeComm nativeComm() {
        return (NativeComm) port();
    }

    /// While it is issued.
    NativeScratch scratch() {
        return Objects.requireNonNull(scratch);
    }

    /// Where the library puts its request; null for its blocking function.
    MemorySegment request() {
        return blocking ? MemorySegment.NULL : scratch().request;
    }

    boolean isRoot() {
        return nativeComm().rank() == root;
    }

    /// The bytes that a wait for it is for, at least.
    long awaited() {
        if (isScheduled()) return scheduledBytes;
        return Math.max(send.count * send.type.bytes(), recv.count * recv.type.bytes());
    }

    /// The call was made.
    void closeSides() {
        sent.close();
        received.close();
    }

    void add(long request) {
        if (pending == requests.length) requests = Arrays.copyOf(requests, 2 * pending);
        requests[pending++] = request;
    }
}
