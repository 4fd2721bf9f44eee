package org.tutti.mpi.object;

import org.jspecify.annotations.Nullable;

/// A value that cannot be sent, or a message that does not contain a valid value. On the sending side, the text
/// is complete and starts with the path to the invalid part: `Job.items[3].handler: java.lang.Thread cannot be
/// sent; …`. On the receiving side, the text is only a predicate, to which the caller adds the message as the
/// subject: `holds a java.util.ArrayList (of 3), not a java.util.Map`.
public final class CodecException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final int HEAD_CHARS = 120;
    private static final int TAIL_CHARS = 60;

    /// The path from the root to the invalid part; extended at the front while the exception propagates through
    /// the levels of the object.
    private final StringBuilder path = new StringBuilder();

    CodecException(String detail) {
        this(detail, null);
    }

    CodecException(String detail, @Nullable Throwable cause) {
        super(detail, cause);
    }

    static CodecException tooDeep(int depth, StackOverflowError why) {
        String levels = " (" + depth + " levels); start the thread with a larger stack (-Xss for the main thread)";
        return new CodecException("is nested too deeply for the stack of this thread" + levels, why);
    }

    CodecException under(String step) {
        path.insert(0, step);
        return this;
    }

    @Override
    public String getMessage() {
        String detail = String.valueOf(super.getMessage());
        if (path.isEmpty()) {
            return detail;
        }
        int length = path.length();
        String shown = length <= HEAD_CHARS + TAIL_CHARS
                ? path.toString()
                : path.substring(0, HEAD_CHARS) + " … " + path.substring(length - TAIL_CHARS);
        return shown + ": " + detail;
    }
}
