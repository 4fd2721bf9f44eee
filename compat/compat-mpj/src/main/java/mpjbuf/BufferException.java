package mpjbuf;

/// A [Buffer] has insufficient space, or the contents do not have the requested type.
public class BufferException extends RuntimeException {
    private static final long serialVersionUID = 1;

    BufferException(String message) {
        super(message);
    }

    BufferException(String message, Throwable cause) {
        super(message, cause);
    }
}
