package org.tutti.job.environment;

import java.util.LinkedHashMap;
import java.util.Map;

/// The environment variables by which Open MPI's launcher gives a rank its place in the job. Programs for
/// Open MPI's Java bindings read them, so `tutti run --with openmpi-java` sets them on every engine.
public final class OpenMpiVariables {
    public static final String RANK = "OMPI_COMM_WORLD_RANK";
    public static final String SIZE = "OMPI_COMM_WORLD_SIZE";
    public static final String LOCAL_RANK = "OMPI_COMM_WORLD_LOCAL_RANK";
    public static final String LOCAL_SIZE = "OMPI_COMM_WORLD_LOCAL_SIZE";

    /// Among the processes of the machine, of all jobs; here the same as [#LOCAL_RANK].
    public static final String NODE_RANK = "OMPI_COMM_WORLD_NODE_RANK";

    /// Set where Tutti, and not Open MPI's launcher, has set the others.
    public static final String ARE_TUTTIS = "TUTTI_OMPI_VARIABLES";

    private OpenMpiVariables() {}

    /// Of ranks that are all on one machine.
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
