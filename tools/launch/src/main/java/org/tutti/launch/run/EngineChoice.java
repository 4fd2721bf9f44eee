package org.tutti.launch.run;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.Host;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.launch.UsageException;
import org.tutti.launch.place.Hosts;
import org.tutti.launch.place.SlurmAllocation;
import org.tutti.launch.program.ProgramSpec;

/// The engine of a run, and the launcher of the ranks.
///
/// @param name `shm` or `libmpi`
/// @param mpi for libmpi: `openmpi`, `mpich`, `abi` or the path of a library; null to select one automatically
/// @param launcher for libmpi: `mpirun` or `srun`; null to select one automatically
/// @param launcherArgs options that are passed to that launcher unchanged
public record EngineChoice(
        String name, @Nullable String mpi, @Nullable String launcher, List<String> launcherArgs) {

    /// The launchers of ranks over a library: the launcher of the library, or Slurm's.
    public static final String MPIRUN = "mpirun", SRUN = "srun";

    /// The values of `--mpi` besides a path; `abi` is any library with the standard ABI.
    public static final String OPEN_MPI = "openmpi", MPICH = "mpich", STANDARD_ABI = "abi";

    /// Selects shared memory, unless an option, a host, the Slurm allocation or a program in a different language
    /// requires a library.
    ///
    /// @param wanted the requested engine; null if not specified
    /// @param hosts the hosts of the ranks; null if not specified
    /// @throws UsageException if shared memory was requested but cannot be used
    static EngineChoice of(
            @Nullable String wanted,
            @Nullable String mpi,
            @Nullable String launcher,
            List<String> launcherArgs,
            @Nullable Hosts hosts,
            List<ProgramSpec> programs) {
        String why = null;
        ProgramSpec other = null;
        for (ProgramSpec program : programs) if (other == null && !program.isJava()) other = program;
        SlurmAllocation slurm = hosts == null ? SlurmAllocation.current() : null;
        if (hosts != null && hosts.elsewhere()) {
            why = hosts.text() + " names other machines than this (" + Host.name() + ")";
        } else if (slurm != null && slurm.nodes() > 1) {
            why = "this Slurm allocation has " + slurm.nodes() + " nodes";
        } else if (other != null) {
            why = other.program() + " is not a Java program";
        } else if (mpi != null) {
            why = "--mpi " + mpi + " names an MPI library";
        } else if (launcher != null) {
            why = "--launcher " + launcher + " starts ranks for an MPI library";
        } else if (!launcherArgs.isEmpty()) {
            why = "--launcher-arg " + launcherArgs.getFirst() + " is for the launcher of an MPI library";
        }
        String fitting = why == null ? RankEnvironment.SHM : RankEnvironment.NATIVE;
        String name = wanted == null ? fitting : wanted;
        if (!name.equals(RankEnvironment.NATIVE) && why != null) {
            throw new UsageException("--engine " + name + ": " + why + "; shared memory is for Java programs on one"
                    + " machine, without an MPI library; leave out --engine " + name);
        }
        return new EngineChoice(name, mpi, launcher, launcherArgs);
    }

    /// Whether ranks communicate through the shared memory of this machine.
    public boolean isShm() {
        return name.equals(RankEnvironment.SHM);
    }
}
