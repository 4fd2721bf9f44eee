package org.tutti.job.environment;

/// Thrown if a process cannot join the job. The message begins with `init: `, because `init` is the call that
/// detects the reason.
public final class JobException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public JobException(String text) {
        super("init: " + text);
    }
}
