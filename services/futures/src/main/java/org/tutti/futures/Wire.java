package org.tutti.futures;

import java.util.Map;
import org.tutti.mpi.Hints;

/// What the messages of a pool look like. All of them are arrays that the codec of `org.tutti.mpi`
/// knows.
///
///     to a worker    { long[] { kind, job, first, seed, timeoutNanos, pools … }, definition or null, Object[]
/// arguments }
///     pools          ids of the pool, and of the pools whose tasks are waiting for this task
///     definition     { words of the function, words of the operator or null, name of the job }  see CallSites
///                    of tasks that are values: the job's name
///     TOGETHER       its argument: { argument, int[] ranks of the workers }
///     SHARE          { long[] { SHARE, id, … }, null, { the value } }        UNSHARE: with null
///     STOP           { long[] { STOP, controls }, null, null }                    controls: how many were sent
///     answer         { long[] { kind, first, nanos, bytes }, Object[] values, Object[] failures }
///     failure        { position, reason, text, Object[] causes }                  position in the arguments
///     cause          { class, text, String[] frames: class, method, file, int[] lines }
///     report         { long[] { REPORT, 0, 0, 0 }, { text }, { } }                of the task that runs
///     control        long[] { serial }                                            the message that is
/// cancelled
///
/// A worker counts the task messages that it gets, from 1 on: their serials. Each has one last answer.
final class Wire {
    /// Tags.
    static final int TASK = 1, ANSWER = 2, CONTROL = 3;

    /// Kinds of task messages.
    static final int STOP = 0, APPLY = 1, CALL = 2, FOLD = 3, TOGETHER = 4, SHARE = 5, UNSHARE = 6;

    /// Kinds of answers: more will follow, this was the last, the message could not be read, its job is
    /// not known. A report is no answer: its task goes on. PARTS announces one PART for each task, in order,
    /// and then DONE without values, so that the leader can attribute an answer that it cannot decode.
    static final int PART = 0, DONE = 1, UNREADABLE = 2, UNKNOWN = 3, BYE = 4, REPORT = 5, PARTS = 6;

    /// Reasons of failures.
    static final int FAILED = 0, TIMEOUT = 1, REFUSED = 2, CANCELLED = 3;

    /// Places in the head of a task message and of an answer.
    static final int KIND = 0, JOB = 1, FIRST = 2, SEED = 3, TIMEOUT_NANOS = 4, POOLS = 5;
    static final int ANSWER_FIRST = 1, NANOS = 2, BYTES = 3;

    /// A job whose definition comes with each message.
    static final long ONCE = -1;

    /// How many jobs a worker remembers: both sides forget the one that was used longest ago.
    static final int REMEMBERED = 64;

    /// The workers' communicator's hints: a rank's death ends what waits on it, for whomever; see
    /// docs/decisions/70.
    static final Map<String, String> TOGETHER_HINTS = Map.of(Hints.OUTLIVES, "true", Hints.FAILS_TOGETHER, "true");

    /// The pool's: a rank's death costs what waits for that rank, and receives may last for any time; see
    /// docs/decisions/69.
    static final Map<String, String> IDLE = Map.of(Hints.IDLE, "true", Hints.OUTLIVES, "true");

    private Wire() {}
}
