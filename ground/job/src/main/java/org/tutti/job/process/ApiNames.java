package org.tutti.job.process;

import java.util.Map;
import org.tutti.job.environment.RankEnvironment;

/// The names of `Mpi.init` and `Mpi.close` in messages. For programs that use the API of Open MPI's Java
/// bindings or of MPJ Express, these are `MPI.Init` and `MPI.Finalize`.
public final class ApiNames {
    /// Whether the program of this rank uses one of these APIs.
    private static volatile boolean ofAnother = isOfAnother(System.getenv());

    private ApiNames() {}

    /// Called when a rank joins the job through a compatibility layer.
    public static void useAnother() {
        ofAnother = true;
    }

    /// Returns the message of this rank, with the names of the program's API.
    public static String inRank(String text) {
        return ofAnother ? translate(text) : text;
    }

    /// Returns the message of the launcher, with the names of the API that the job's programs use.
    ///
    /// @param environment the environment of the ranks
    public static String inJob(Map<String, String> environment, String text) {
        return isOfAnother(environment) ? translate(text) : text;
    }

    /// Returns whether `text` contains `words`, either as given or with the names translated to those of the
    /// other APIs.
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
