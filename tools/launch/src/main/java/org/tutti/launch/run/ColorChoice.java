package org.tutti.launch.run;

/// Whether the launcher prints colors.
public enum ColorChoice {
    /// Prints colors on terminals, unless `NO_COLOR` is set or the terminal has no colors.
    AUTO,
    ALWAYS,
    NEVER
}
