package xdev;

/// The superclass of [mpjdev.MPJDevException], for programs that catch it.
public class XDevException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public XDevException() {}

    public XDevException(String message) {
        super(message);
    }

    public XDevException(Throwable cause) {
        super(cause);
    }
}
