package org.tutti.job.process;

/// The exit codes that a shell can receive: the lowest eight bits of the exit status of a process.
public final class ExitCode {
    private ExitCode() {}

    private static final int BITS = 0xff;

    /// Returns the code that a shell receives from a process that fails with `code`. It is never 0: a failure
    /// with `256` must not be mistaken for success.
    public static int ofFailure(int code) {
        int seen = code & BITS;
        return seen == 0 ? 1 : seen;
    }
}
