package org.tutti.job.environment;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.RankEnvironment.Launcher;
import org.tutti.job.environment.RankEnvironment.Pmi;

/// The information from a single launcher about a process.
///
/// @param size the number of ranks; 0 if it is unknown
/// @param variables the variables that were read, with their values
record LauncherVariables(
        Launcher launcher, Pmi pmi, int rank, int size, int localRank, int localSize, String variables) {
    /// Names of variables, any of which may be unset.
    record Names(String rank, String size, String localRank, String localSize) {}

    /// Reads these variables. Returns null if the variables of the rank and of the size are not
    /// set, and throws if only one of these two is set.
    static @Nullable LauncherVariables read(Map<String, String> env, Launcher launcher, Pmi pmi, Names names) {
        if (!env.containsKey(names.rank) && !env.containsKey(names.size)) return null;
        int size = number(env, names.size, 1, Integer.MAX_VALUE, launcher);
        int rank = number(env, names.rank, 0, size - 1, launcher);
        int localSize = isSet(env, names.localSize) ? number(env, names.localSize, 1, size, launcher) : 1;
        int localRank = isSet(env, names.localRank) ? number(env, names.localRank, 0, localSize - 1, launcher) : 0;
        return new LauncherVariables(
                launcher, pmi, rank, size, localRank, localSize, variables(env, names.rank, names.size));
    }

    /// Returns whether a variable is set and not empty: if a script passes on a variable that is not set, the
    /// variable becomes an empty string.
    private static boolean isSet(Map<String, String> env, String name) {
        return !env.getOrDefault(name, "").isBlank();
    }

    /// Returns whether two sources are consistent.
    boolean agrees(LauncherVariables other) {
        return rank == other.rank && (size == other.size || size == 0 || other.size == 0);
    }

    /// Returns the same rank with a different launcher.
    LauncherVariables as(Launcher other, Pmi itsPmi) {
        return new LauncherVariables(other, itsPmi, rank, size, localRank, localSize, variables);
    }

    /// Returns the variables that are set, in the form `A=1, B=2`.
    static String variables(Map<String, String> env, String... names) {
        StringBuilder text = new StringBuilder();
        for (String name : names) {
            String value = env.get(name);
            if (value == null) continue;
            text.append(text.isEmpty() ? "" : ", ").append(name).append('=').append(value);
        }
        return text.toString();
    }

    static int number(Map<String, String> env, String name, int low, int high, Launcher launcher) {
        String text = env.get(name);
        if (text == null) {
            throw failure(name + " is not set, but " + launcher + " sets it together with the other variables; "
                    + "unset the other variables if it has not started this process");
        }
        try {
            int value = Integer.parseInt(text.strip());
            if (value >= low && value <= high) return value;
        } catch (NumberFormatException e) {
            // this case is reported below
        }
        throw failure(name + "=" + text + " in the environment of " + launcher + " is not a number from " + low + " to "
                + high);
    }

    static JobException contradiction(LauncherVariables one, LauncherVariables other) {
        return failure("two launchers contradict each other: " + one.variables + " of " + one.launcher + ", but "
                + other.variables + " of " + other.launcher
                + "; unset the variables of the launcher that has not started this process");
    }

    static JobException failure(String text) {
        return new JobException(text);
    }
}
