package org.tutti.libmpi;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.tutti.coll.ScheduleRunner;
import org.tutti.spi.Collective;

/// A collective call, with the library's state of the call.
final class NativeCollective extends Collective {
    /// While the call is being issued: the scratch of the issuing thread, and whether the library's blocking
    /// function is used.
    @Nullable
    NativeScratch scratch;

    boolean blocking;

    /// The pending requests: one request, one per part of a long reduction, or two for a duplication.
    long[] requests = new long[1];

    int pending;

    /// Staging memory used by the library while requests are pending, released on completion.
    Staging.@Nullable Block sendBlock;

    Staging.@Nullable Block recvBlock;
    Staging.@Nullable Block argumentBlock;

    /// The staged result, to be copied to the heap; null if the library writes to the final place.
    @Nullable
    MemorySegment result;

    /// The operation, if it is computed in Java.
    @Nullable
    NativeOp nativeOp;

    /// The library's arguments for `send` and `recv`, in calls that move blocks.
    final CallArguments sent = new CallArguments();

    final CallArguments received = new CallArguments();

    /// Executes a schedule. Null until needed.
    @Nullable
    ScheduleRunner runner;

    /// The number of bytes that a schedule sends and receives.
    long scheduledBytes;

    /// Whether the call is a duplication that [StepwiseDups] advances; valid until the object is reused for
    /// another call.
    boolean isStepwise;

    /// Returns whether the call is executed as messages, because Tutti uses no function of the library for it.
    boolean isScheduled() {
        return inter || typedByMessage() || op != null && op.isInRankOrder();
    }

    NativeComm nativeComm() {
        return (NativeComm) port();
    }

    /// Returns the scratch. Called only while the call is being issued.
    NativeScratch scratch() {
        return Objects.requireNonNull(scratch);
    }

    /// Returns the address at which the library stores the request; null for the blocking function.
    MemorySegment request() {
        return blocking ? MemorySegment.NULL : scratch().request;
    }

    boolean isRoot() {
        return nativeComm().rank() == root;
    }

    /// Returns a lower bound of the number of bytes that the library transfers before a wait for this call
    /// ends.
    long awaited() {
        if (isScheduled()) return scheduledBytes;
        return Math.max(send.count * send.type.bytes(), recv.count * recv.type.bytes());
    }

    /// Releases the arguments after the call has been issued.
    void releaseArguments() {
        sent.close();
        received.close();
    }

    void add(long request) {
        if (pending == requests.length) requests = Arrays.copyOf(requests, 2 * pending);
        requests[pending++] = request;
    }
}
