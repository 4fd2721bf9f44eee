package mpjbuf;

/// Never thrown. The class exists because libraries load it by name, or catch it.
public class IllegalArgumentException extends BufferException {
    private static final long serialVersionUID = 1;

    private IllegalArgumentException() {
        super("");
    }
}
