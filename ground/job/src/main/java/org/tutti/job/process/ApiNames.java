package org.tutti.job.process;

import java.util.Map;
import org.tutti.job.environment.RankEnvironment;

/// The names of `Mpi.init` and `Mpi.close` in texts for programs that are written to the API of Open MPI's
/// Java bindings or of MPJ Express: there they are `MPI.Init` and `MPI.Finalize`.
public final class ApiNames {
    /// Whether the program of this rank is written to one of these APIs.
    private static volatile boolean ofAnother = isOfAnother(System.getenv());

    private ApiNames() {}

    /// Called when a rank joins its job by another API.
    public static void useAnother() {
        ofAnother = true;
    }

    /// Returns a text of this rank with the names that its program knows.
    public static String inRank(String text) {
        return ofAnother ? translate(text) : text;
    }

    /// Returns a text of the launcher with the names that the job's programs know.
    ///
    /// @param environment of the ranks
    public static String inJob(Map<String, String> environment, String text) {
        return isOfAnother(environment) ? translate(text) : text;
    }

    /// Whether `text` contains `words`, with the names of either API.
    public static boolean contains(String text, String words) {
        return text.contains(words) || text.contains(translate(words));
    }

    private static boolean isOfAnother(Map<String, String> environment) {
        return environment.containsKey(RankEnvironment.API);
    }

    private static String translate(String text) {
        return text.replace("Mpi.init", "MPI.Init").replace("Mpi.close", "MPI.Finalize");
    }
}
