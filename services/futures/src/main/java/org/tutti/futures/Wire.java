package org.tutti.futures;

import java.util.Map;
import org.tutti.mpi.Hints;

/// The messages of a pool. All messages are arrays that the codec of `org.tutti.mpi` supports.
///
///     to a worker    { long[] { kind, job, first, seed, timeoutNanos, pools … }, definition or null,
///                      Object[] arguments }
///     pools          ids of the pool, and of the pools whose tasks are waiting for this task
///     definition     { description of the function, of the operator or null, name of the job }  see CallSites
///                    of tasks that are values: the job's name
///     TOGETHER       its argument: { argument, int[] ranks of the workers }
///     SHARE          { long[] { SHARE, id, … }, null, { the value } }        UNSHARE: with null
///     STOP           { long[] { STOP, controls }, null, null }                    controls: the number sent so far
///     answer         { long[] { kind, first, nanos, bytes }, Object[] values, Object[] failures }
///     failure        { position, reason, text, Object[] causes }                  position in the arguments
///     cause          { class, text, String[] frames: class, method, file, int[] lines }
///     report         { long[] { REPORT, 0, 0, 0 }, { text }, { } }                of the running task
///     control        long[] { serial }                                            the cancelled message
///
/// A worker numbers the received task messages 1, 2, …; these numbers are the serials. The worker sends exactly
/// one last answer for each message.
final class Wire {
    /// Tags.
    static final int TASK = 1, ANSWER = 2, CONTROL = 3;

    /// Kinds of task messages.
    static final int STOP = 0, APPLY = 1, CALL = 2, FOLD = 3, TOGETHER = 4, SHARE = 5, UNSHARE = 6;

    /// Kinds of answers: PART, more answers will follow; DONE, the last answer; UNREADABLE, the message could not
    /// be decoded; UNKNOWN, the worker does not have the job's definition; BYE, the answer to STOP. A REPORT is
    /// not an answer: the task continues. PARTS announces one PART for each task, in order, and then DONE without
    /// values, so that the leader can attribute an answer that it cannot decode.
    static final int PART = 0, DONE = 1, UNREADABLE = 2, UNKNOWN = 3, BYE = 4, REPORT = 5, PARTS = 6;

    /// Reasons of failures.
    static final int FAILED = 0, TIMEOUT = 1, REFUSED = 2, CANCELLED = 3;

    /// Indices in the head of a task message and of an answer.
    static final int KIND = 0, JOB = 1, FIRST = 2, SEED = 3, TIMEOUT_NANOS = 4, POOLS = 5;
    static final int ANSWER_FIRST = 1, NANOS = 2, BYTES = 3;

    /// The job number of every job whose definition is sent in each message.
    static final long ONCE = -1;

    /// The number of jobs that a worker remembers. The worker and the dispatcher each remove the least recently
    /// used job.
    static final int REMEMBERED = 64;

    /// Hints of the workers' communicator: the death of a rank fails all calls that wait in this communicator;
    /// see docs/decisions/70.
    static final Map<String, String> TOGETHER_HINTS = Map.of(Hints.OUTLIVES, "true", Hints.FAILS_TOGETHER, "true");

    /// Hints of the pool's communicator: the death of a rank fails only calls that wait for that rank, and
    /// receives may wait for any length of time; see docs/decisions/69.
    static final Map<String, String> IDLE = Map.of(Hints.IDLE, "true", Hints.OUTLIVES, "true");

    private Wire() {}
}
