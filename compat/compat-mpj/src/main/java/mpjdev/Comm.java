package mpjdev;

/// Empty. It exists because libraries load the class by name to detect MPJ Express.
public class Comm {
    private Comm() {}
}
