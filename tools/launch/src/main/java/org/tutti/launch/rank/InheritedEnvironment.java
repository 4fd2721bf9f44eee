package org.tutti.launch.rank;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tutti.job.environment.DeviceAwareness;
import org.tutti.job.environment.DeviceSetting;
import org.tutti.job.environment.TorchVariables;

/// The environment of ranks: the launcher's environment without the variables of an outer job.
public final class InheritedEnvironment {
    private InheritedEnvironment() {}

    private static final String[] OF_A_JOB = {
        "TUTTI_",
        "OMPI_COMM_WORLD_",
        "OMPI_UNIVERSE_",
        "OMPI_APP_",
        "OMPI_ARGV",
        "OMPI_COMMAND",
        "OMPI_FILE_",
        "OMPI_FIRST_",
        "OMPI_NUM_",
        "OMPI_MCA_orte_",
        "OMPI_MCA_ess",
        "OMPI_MCA_pmix",
        "OMPI_MCA_prte_",
        "OMPI_MCA_initial_wdir",
        "PMI_",
        "PMIX_",
        "PRTE_",
        "MPI_LOCAL",
        "HYDI_",
        "HYDRA_CONTROL"
    };

    /// Variables of Tutti that express a preference of the user for every job.
    private static final Set<String> OF_THE_USER = Set.of(DeviceSetting.VARIABLE, DeviceAwareness.VARIABLE);

    /// Variables of torchrun that describe a rank; removed if [TorchVariables#WORLD_SIZE] is set. The master's
    /// address is not removed, because users export it for other programs.
    private static final List<String> OF_TORCHRUN = List.of(
            TorchVariables.RANK,
            TorchVariables.WORLD_SIZE,
            TorchVariables.LOCAL_RANK,
            TorchVariables.LOCAL_WORLD_SIZE,
            TorchVariables.GROUP_RANK,
            TorchVariables.RESTART_COUNT);

    public static void clean(Map<String, String> environment) {
        if (environment.containsKey(TorchVariables.WORLD_SIZE)) OF_TORCHRUN.forEach(environment::remove);
        for (Iterator<String> names = environment.keySet().iterator(); names.hasNext(); ) {
            String name = names.next();
            if (OF_THE_USER.contains(name)) continue;
            for (String prefix : OF_A_JOB) {
                if (name.startsWith(prefix)) {
                    names.remove();
                    break;
                }
            }
        }
    }
}
