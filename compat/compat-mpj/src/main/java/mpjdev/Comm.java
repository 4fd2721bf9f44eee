package mpjdev;

/// Empty. The class exists because libraries load it by name to detect MPJ Express.
public class Comm {
    private Comm() {}
}
