package org.tutti.job.environment;

import java.util.LinkedHashMap;
import java.util.Map;

/// The environment variables with which Open MPI's launcher describes a rank. Programs for Open MPI's Java
/// bindings read these variables, so `tutti run --with openmpi-java` sets them on every engine.
public final class OpenMpiVariables {
    public static final String RANK = "OMPI_COMM_WORLD_RANK";
    public static final String SIZE = "OMPI_COMM_WORLD_SIZE";
    public static final String LOCAL_RANK = "OMPI_COMM_WORLD_LOCAL_RANK";
    public static final String LOCAL_SIZE = "OMPI_COMM_WORLD_LOCAL_SIZE";

    /// The number of the process on the machine, counted over all jobs. Tutti sets it to the value of
    /// [#LOCAL_RANK].
    public static final String NODE_RANK = "OMPI_COMM_WORLD_NODE_RANK";

    /// The variable that is set if Tutti, and not Open MPI's launcher, has set the other variables.
    public static final String ARE_TUTTIS = "TUTTI_OMPI_VARIABLES";

    private OpenMpiVariables() {}

    /// Returns the variables for ranks that are all on one machine.
    public static Map<String, String> onOneMachine(int rank, int size) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put(RANK, Integer.toString(rank));
        all.put(SIZE, Integer.toString(size));
        all.put(LOCAL_RANK, Integer.toString(rank));
        all.put(LOCAL_SIZE, Integer.toString(size));
        all.put(NODE_RANK, Integer.toString(rank));
        all.put(ARE_TUTTIS, "1");
        return all;
    }
}
