package mpjdev;

/// Empty: libraries load the class by name to find out whether MPJ Express is there.
public class Comm {
    private Comm() {}
}
