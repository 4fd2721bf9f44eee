package programs;

/// Nothing to start here.
public final class NoMain {
    private NoMain() {}
}
