package org.tutti.bench.compare;

/// SIGTERM or SIGINT has ended a job of the comparison. The comparison must end, too.
final class SignalledException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final int SIGINT_CODE = 130, SIGTERM_CODE = 143;

    private final int code;

    SignalledException(int code) {
        super("exit code " + code);
        this.code = code;
    }

    /// Whether a launcher returns this exit code after a signal.
    static boolean isCode(int code) {
        return code == SIGINT_CODE || code == SIGTERM_CODE;
    }

    int code() {
        return code;
    }
}
