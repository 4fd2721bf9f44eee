package org.tutti.launch.library;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.OpenMpiVariables;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.environment.TorchVariables;
import org.tutti.job.status.ReportLine;
import org.tutti.launch.program.Program;
import org.tutti.launch.rank.RankCommand;
import org.tutti.launch.run.Debugging;
import org.tutti.launch.run.Run;

/// The shell around each rank that a native launcher starts. It sets Tutti's environment variables, binds the
/// rank if the launcher does not, waits for the rank, and reports the exit code: to the file of [RankExits] or,
/// on a remote machine, in a [ReportLine]. Native launchers do not report exit codes reliably: some report the
/// exit code of a rank that they have killed themselves, or replace every exit code by 1.
///
/// Because the command is not `java`, Open MPI does not search the arguments for "cp". The shell's message about
/// a killed child is discarded; the rank writes to the original stderr. Ranks other than 0 get an empty stdin,
/// because Hydra connects them to a stdin that never ends.
public final class RankShell {
    private RankShell() {}

    /// The variable that contains a list of cpus for each rank. Set if the shells bind ranks: each shell starts
    /// the JVM with `taskset`.
    public static final String BINDING = "TUTTI_BINDING";

    /// The variable that is set if the native launcher binds ranks. Each rank then uses the cpus that the
    /// launcher has assigned.
    public static final String BOUND = "TUTTI_BOUND";

    /// The variable that contains the destinations of stdout and stderr: two paths for each rank, or two `-` for
    /// a rank that writes to the streams of the native launcher. The shells of the other ranks keep the streams
    /// of the native launcher open, because Open MPI closes the stdin of a rank when the output stream ends.
    public static final String OUTPUT = "TUTTI_OUTPUT";

    private static final String WRITE =
            "if [ \"$" + OUTPUT + "\" ]; then own() { shift $((2 * rank)); out=$1; err=$2; };"
                    + " own $" + OUTPUT
                    + "; if [ -w \"$out\" ] && [ -w \"$err\" ]; then exec 4>&1 5>&3 >\"$out\" 3>\"$err\"; fi;"
                    + " unset " + OUTPUT + "; fi; ";

    /// Shell expressions, different for each launcher: the rank and the number of ranks, in the job and on the
    /// machine, and the number of cores.
    record Names(String rank, String size, String localRank, String localSize, String cores) {}

    /// The expression for the number of cores that the ranks of a machine share, if the launcher does not define
    /// it.
    static final String CORES_SEEN = "$(nproc || echo 1)";

    /// The expression for the number of ranks on the machine under Slurm, which lists the number of tasks of each
    /// node in one variable: `2(x3),1`.
    static final String SLURM_LOCAL_SIZE = "$(node=$SLURM_NODEID; IFS=,; for tasks in $SLURM_STEP_TASKS_PER_NODE; do"
            + " nodes=1; case $tasks in *x*) nodes=${tasks#*x}; nodes=${nodes%)};; esac; node=$((node - nodes));"
            + " if [ $node -lt 0 ]; then echo \"${tasks%%(*}\"; break; fi; done)";

    /// Selects the rank's program from several programs. Each program is preceded by the number of ranks and
    /// the number of arguments.
    private static final String PICK = "at=$rank; while [ $at -ge $1 ]; do at=$((at - $1)); shift $(($2 + 2)); done;"
            + " words=$2; shift 2; all=$#; i=0; for word do i=$((i + 1)); [ $i -gt $words ] || set -- \"$@\" \"$word\";"
            + " done; shift $all; ";

    private static final String BIND = "if [ \"$" + BINDING + "\" ]; then pick() { shift \"$1\"; cpus=$1; };"
            + " pick $((rank + 1)) $" + BINDING + "; set -- taskset -c \"$cpus\" \"$@\"; fi; ";

    /// Adds the debugger option of the JVM for the ranks to which a debugger may attach.
    private static String debug(@Nullable Debugging debugging) {
        if (debugging == null) return "";
        StringBuilder ranks = new StringBuilder();
        debugging.ranks().stream()
                .forEach(r -> ranks.append(ranks.isEmpty() ? "" : "|").append(r));
        String guard = String.join(" ", debugging.guard());
        String watch = guard.isEmpty() ? "" : watch(ProcessHandle.current().pid());
        return "case $rank in " + ranks + ") case $1 in */java) java=$1; shift; " + watch + "set -- " + guard
                + " \"$java\" " + debugging.option() + " \"$@\";; esac;; esac; ";
    }

    /// Returns code that starts a loop in the background, because a rank that is suspended for the debugger
    /// cannot detect the end of the launcher. If the launcher has been killed, the loop kills the rank's shell,
    /// with which the rank ends ([Debugging#guard]). The loop also ends when it is no longer a child of the
    /// rank's shell, because the pid of the shell may be reused after that.
    static String watch(long launcher) {
        return "(exec >/dev/null 2>&1 </dev/null 3>&-; own() { read -r pid name state parent rest </proc/self/stat"
                + " && [ \"$parent\" = $$ ]; }; while own && kill -0 " + launcher + "; do sleep 1; done;"
                + " ! own || kill -9 $$) & ";
    }

    private static final String TORCHRUN = "export " + TorchVariables.RANK + "=\"$rank\" "
            + TorchVariables.WORLD_SIZE + "=\"$" + RankEnvironment.SIZE + "\" "
            + TorchVariables.LOCAL_RANK + "=\"$" + RankEnvironment.LOCAL_RANK + "\" "
            + TorchVariables.LOCAL_WORLD_SIZE + "=\"$" + RankEnvironment.LOCAL_SIZE + "\"; ";

    /// Sets the variables of Open MPI's mpirun under other launchers, for programs of Open MPI's Java bindings.
    private static final String OPEN_MPI = "export " + OpenMpiVariables.RANK + "=\"$rank\" "
            + OpenMpiVariables.SIZE + "=\"$" + RankEnvironment.SIZE + "\" "
            + OpenMpiVariables.LOCAL_RANK + "=\"$" + RankEnvironment.LOCAL_RANK + "\" "
            + OpenMpiVariables.LOCAL_SIZE + "=\"$" + RankEnvironment.LOCAL_SIZE + "\" "
            + OpenMpiVariables.NODE_RANK + "=\"$" + RankEnvironment.LOCAL_RANK + "\" "
            + OpenMpiVariables.ARE_TUTTIS + "=1; ";

    private static String openMpi(NativeLauncher launcher, Run run) {
        boolean reads = RankEnvironment.OPENMPI_JAVA.equals(run.ranks().env().get(RankEnvironment.API));
        return reads && !(launcher instanceof OpenMpiLauncher) ? OPEN_MPI : "";
    }

    /// Checks the files that the program needs; the number of files precedes the list.
    private static final String REQUIRE = "host=$(uname -n); files=$1; shift; while [ $files -gt 0 ]; do"
            + " if ! [ -r \"$1\" ]; then printf '" + ReportLine.FAIL + "' \"$rank\" 127 \"$host\" \"$1 is not there;"
            + " ranks on several machines need the same files at the same place, in a shared directory\" >&3;"
            + " sleep 0.3; exit 127; fi; shift; files=$((files - 1)); done; ";

    /// Computes the number of cores that ranks share; only the rank's machine can determine it.
    private static String share(Names names) {
        return "cores=" + names.cores + "; share=$cores; if ! [ \"$" + BOUND + "\" ]; then export "
                + RankEnvironment.CORES
                + "=$cores; share=$((cores / " + RankEnvironment.LOCAL_SIZE + ")); [ $share -gt 0 ] || share=1; fi;"
                + " case $1 in */java) java=$1; shift; set -- \"$java\" -XX:ActiveProcessorCount=$share \"$@\";; esac; ";
    }

    /// After SIGABRT the shell waits 0.3 s. A library may abort when a peer is killed, and the shell of that
    /// peer must report first, because the native launcher kills the other ranks when one of the shells ends.
    private static final String RUN = "\"$@\" 2>&3 3>&- 4>&- 5>&-; code=$?; [ $code != 134 ] || sleep 0.3; ";
    private static final String REPORT_LOCALLY = "echo \"$rank $code\" >>\"$" + RankExits.FILE + "\"; ";

    /// Keeps the shell of a failed rank alive while `tutti run` waits for ranks that have received SIGTERM, see
    /// [RankExits#terminate].
    private static final String WAIT_FOR_RANKS = "if [ $code != 0 ]; then case \"$(tr -d '\\000' <\"$" + RankExits.FILE
            + "\")\" in *" + RankExits.TERMINATING + "*) while kill -0 "
            + ProcessHandle.current().pid()
            + "; do sleep 0.1; done;; esac; fi; ";

    /// Writes to the launcher's file only on the launcher's machine: the path of the file contains a pid, which
    /// would denote a different process on a remote machine.
    private static final String REPORT =
            "if [ \"$" + RankExits.FILE + "\" ] && ! { [ \"$host\" = \"$" + RankEnvironment.JOB_HOST
                    + "\" ] && echo \"$rank $code\" >>\"$"
                    + RankExits.FILE + "\"; }; then printf '" + ReportLine.EXIT + "' \"$rank\" \"$code\" \"$host\" >&3;"
                    // a native launcher may discard unread output when it kills the other ranks
                    + " [ $code = 0 ] || sleep 0.3; fi; ";

    /// @param placed whether the launcher determines the cpus of the ranks; only in this case can ranks run on
    ///     other machines
    private static String script(NativeLauncher launcher, Run run, boolean several, boolean placed) {
        Names names = launcher.names();
        // otherwise SIGUSR1 would end this shell, or a JVM that is starting
        return "trap '' USR1; exec 3>&2 2>/dev/null; rank=" + names.rank + "; export " + RankEnvironment.RANK
                + "=\"$rank\" "
                + RankEnvironment.SIZE + "=\"" + names.size + "\" "
                + RankEnvironment.LOCAL_RANK + "=\"" + names.localRank + "\" "
                + RankEnvironment.LOCAL_SIZE + "=\"" + names.localSize + "\"; "
                + (run.placement().nodes() != null ? TORCHRUN : "")
                + openMpi(launcher, run)
                + "[ \"$rank\" = 0 ] || exec </dev/null; "
                + (several ? PICK : "")
                + (placed ? REQUIRE + share(names) : WRITE)
                + debug(run.ranks().debugging())
                + (placed ? "" : BIND)
                + RUN
                + (placed ? REPORT : REPORT_LOCALLY + launcher.pauseForFiles() + WAIT_FOR_RANKS)
                + launcher.sweep()
                + "exit $code";
    }

    /// Returns the arguments after the launcher's options: a shell around each program.
    public static List<String> around(
            NativeLauncher launcher, Run run, List<Program> programs, List<String> names, int processors) {
        List<String> words = new ArrayList<>();
        boolean placed = launcher.places(run);
        boolean several = programs.size() > 1 && !launcher.takesSeveralPrograms();
        for (Program program : programs) {
            boolean first = program == programs.getFirst();
            if (!first && !several) words.add(":");
            int ranks = program.spec().size();
            if (first || !several) {
                words.addAll(launcher.ofPart(run, ranks, names));
                words.addAll(List.of("sh", "-c", script(launcher, run, several, placed), "tutti-rank"));
            }
            List<String> own = new ArrayList<>();
            if (placed) {
                List<String> files = new ArrayList<>(program.files());
                if (run.ranks().wdir() != null)
                    files.add(run.ranks().wdir().toAbsolutePath().toString());
                own.add(Integer.toString(files.size()));
                own.addAll(files);
            }
            own.addAll(RankCommand.of(program, run, placed ? 0 : processors, null));
            if (several) words.addAll(List.of(Integer.toString(ranks), Integer.toString(own.size())));
            words.addAll(own);
        }
        return words;
    }
}
