package org.tutti.job.os;

import org.jspecify.annotations.Nullable;

/// The one place that decides what this operating system is good for. Ranks as threads of one JVM need nothing but
/// Java; ranks as processes find each other's memory and state in Linux's `/proc`.
public final class SupportedSystem {
    private static final String NAME = System.getProperty("os.name", "an unknown system");

    /// What to do where ranks cannot be processes.
    public static final String ADVICE =
            "run the program in Linux (WSL2 on Windows, a container, a virtual machine), or its"
                    + " ranks as threads by Tutti.local";

    private SupportedSystem() {}

    /// Whether there is `/proc`, and with it files without a name that other processes can open.
    public static boolean isLinux() {
        return NAME.equals("Linux");
    }

    /// Why ranks cannot be processes here; null where they can.
    public static @Nullable String lack() {
        return isLinux() ? null : "ranks as processes need Linux, and this system is " + NAME;
    }

    /// The same with [#ADVICE], for who has asked for it.
    public static @Nullable String refusal() {
        return isLinux() ? null : lack() + "; " + ADVICE;
    }
}
