package org.tutti.job.os;

import org.jspecify.annotations.Nullable;

/// The features that this operating system supports. If the ranks are threads in one process, Java is
/// sufficient. Ranks that are processes access the memory and the state of the other ranks through `/proc` of
/// Linux.
public final class SupportedSystem {
    private static final String NAME = System.getProperty("os.name", "an unknown system");

    /// The advice that names the alternative if ranks cannot be processes.
    public static final String ADVICE =
            "run the program in Linux (WSL2 on Windows, a container, a virtual machine), or the"
                    + " ranks as threads by Tutti.local";

    private SupportedSystem() {}

    /// Returns whether the system is Linux, where other processes can open files without a name through
    /// `/proc`.
    public static boolean isLinux() {
        return NAME.equals("Linux");
    }

    /// Returns the reason why ranks cannot be processes here; null if processes are possible.
    public static @Nullable String lack() {
        return isLinux() ? null : "ranks as processes need Linux, and this system is " + NAME;
    }

    /// Like [#lack], followed by [#ADVICE].
    public static @Nullable String refusal() {
        return isLinux() ? null : lack() + "; " + ADVICE;
    }
}
