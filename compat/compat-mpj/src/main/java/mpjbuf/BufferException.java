package mpjbuf;

/// What a [Buffer] throws that has no room, or holds something else than is asked for.
public class BufferException extends RuntimeException {
    private static final long serialVersionUID = 1;

    BufferException(String message) {
        super(message);
    }

    BufferException(String message, Throwable cause) {
        super(message, cause);
    }
}
