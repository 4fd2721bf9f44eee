package org.tutti.futures;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The common part of tasks that were submitted together.
///
/// @param kind the kind of the messages, see [Wire]
/// @param id the number of the job; `Wire.ONCE` if workers need not remember the definition
/// @param definition null for tasks that are values
/// @param idempotent whether the tasks may run twice
/// @param pools ids of the pool that runs the job and, if pools are nested, of the pools with a task that is
///     waiting for the job
/// @param operation the method that the user called: `map`
/// @param line the line of the call: `Fit.java:88`; empty if unknown
record PoolJob(
        int kind,
        long id,
        Object @Nullable [] definition,
        long seed,
        long timeoutNanos,
        boolean idempotent,
        long[] pools,
        String operation,
        String line,
        @Nullable StackTraceElement maker) {
    /// Returns the header of a task message; see [Wire].
    long[] head(long first) {
        long[] head = Arrays.copyOf(new long[] {kind, id, first, seed, timeoutNanos}, Wire.POOLS + pools.length);
        System.arraycopy(pools, 0, head, Wire.POOLS, pools.length);
        return head;
    }

    /// Returns the definition followed by the job's name, in the format of a message.
    Object @Nullable [] named() {
        return definition == null ? null : new Object[] {definition[0], definition[1], name()};
    }

    /// Returns the name for messages, for example `map at Fit.java:88`.
    String name() {
        return line.isEmpty() ? operation : operation + " at " + line;
    }
}
