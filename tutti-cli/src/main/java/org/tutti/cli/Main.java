package org.tutti.cli;

/// The `tutti` command. It has no subcommands yet; the class is here because the jar names it as its main class.
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.err.println("tutti: no commands yet");
        System.exit(2);
    }
}
