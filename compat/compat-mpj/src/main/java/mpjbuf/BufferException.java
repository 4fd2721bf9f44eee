package mpjbuf;

/// A [Buffer] has insufficient space, or its contents have another type than requested.
public class BufferException extends RuntimeException {
    private static final long serialVersionUID = 1;

    BufferException(String message) {
        super(message);
    }

    BufferException(String message, Throwable cause) {
        super(message, cause);
    }
}
