package mpjbuf;

/// Never thrown. It exists because libraries load the class by name, or catch it.
public class IllegalArgumentException extends BufferException {
    private static final long serialVersionUID = 1;

    private IllegalArgumentException() {
        super("");
    }
}
