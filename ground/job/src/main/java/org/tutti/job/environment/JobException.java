package org.tutti.job.environment;

/// Why a process cannot take its place in a job. The text begins with `init: `, the call that finds it out.
public final class JobException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public JobException(String text) {
        super("init: " + text);
    }
}
