package org.tutti.launch.program;

import org.tutti.launch.UsageException;

/// The file or the class of a program does not exist.
public final class ProgramNotFoundException extends UsageException {
    private static final long serialVersionUID = 1;

    private final String program;

    ProgramNotFoundException(String program, String text) {
        super(text);
        this.program = program;
    }

    /// Returns the program as the user typed it.
    public String program() {
        return program;
    }
}
