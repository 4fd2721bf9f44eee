package org.tutti.e2e.job;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// A cluster of two nodes that Slurm manages: the controller on host `a`, and a daemon on each host.
///
/// Slurm and munge write to the private /tmp of the hosts, so files and daemons disappear with the hosts. A
/// Slurm installation of the machine is not affected.
public final class Slurm implements CommandEnvironment, AutoCloseable {
    private static final List<String> NEEDED = List.of("munged", "slurmctld", "slurmd", "srun", "salloc", "sbatch");
    private static final String HOME = "/tmp/slurm";
    private static final int START_SECONDS = 60;

    private static final String CONF = """
            ClusterName=tutti
            SlurmctldHost=a(10.77.0.1)
            SlurmUser=root
            AuthType=auth/munge
            AuthInfo=socket=HOME/munge.socket
            CredType=cred/munge
            ProctrackType=proctrack/pgid
            TaskPlugin=task/none
            MpiDefault=pmix
            StateSaveLocation=HOME/state
            SlurmdSpoolDir=HOME/spool
            SlurmctldPidFile=HOME/slurmctld.pid
            SlurmdPidFile=HOME/slurmd.pid
            SlurmctldLogFile=HOME/slurmctld.log
            SlurmdLogFile=HOME/slurmd.log
            SwitchType=switch/none
            JobAcctGatherType=jobacct_gather/none
            SelectType=select/cons_tres
            SelectTypeParameters=CR_Core
            SlurmdParameters=config_overrides
            MailProg=/bin/true
            NodeName=a NodeAddr=10.77.0.1 CPUs=4
            NodeName=b NodeAddr=10.77.0.2 CPUs=4
            PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
            """.replace("HOME", HOME);

    private static final String MUNGE = """
            mkdir -p HOME/state HOME/spool && head -c 128 "$0" >HOME/munge.key && chmod 400 HOME/munge.key &&
            munged --force --socket=HOME/munge.socket --key-file=HOME/munge.key --pid-file=HOME/munged.pid \\
                --log-file=HOME/munged.log --seed-file=HOME/munge.seed --num-threads=2 2>/dev/null
            """.replace("HOME", HOME);

    private final TwoHosts hosts;
    private final Path conf;

    private Slurm(TwoHosts hosts, Path conf) {
        this.hosts = hosts;
        this.conf = conf;
    }

    /// Starts Slurm on two new hosts, or skips the test with the reason why this is impossible.
    public static Slurm start() {
        for (String command : NEEDED) Way.need(Way.isOnPath(command), command + " is not installed");
        if (!"root".equals(System.getProperty("user.name"))) Way.skip("only root may start Slurm's daemons");
        Path directory = Checkout.scratch("slurm");
        try {
            Path conf = Files.writeString(directory.resolve("slurm.conf"), CONF);
            Path key = directory.resolve("key");
            Files.writeString(key, Processes.MARK.repeat(4)); // not a secret
            Slurm slurm = new Slurm(TwoHosts.start(), conf);
            slurm.begin(key);
            return slurm;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void begin(Path key) throws IOException {
        try {
            for (boolean other : new boolean[] {false, true}) run(other, "sh", "-c", MUNGE, key.toString());
            run(false, "slurmctld", "-c", "-f", conf.toString());
            for (boolean other : new boolean[] {false, true}) run(other, "slurmd", "-c", "-f", conf.toString());
            awaitIdle();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } catch (AssertionError e) {
            close();
            throw e;
        }
    }

    private void awaitIdle() throws IOException, InterruptedException {
        HangLimit limit = new HangLimit(START_SECONDS);
        String state = "";
        while (!state.equals("idle\nidle\n")) {
            if (limit.isOver()) throw new AssertionError("Slurm's nodes are not idle: " + state);
            state = run(false, "sinfo", "-h", "-N", "-o", "%T");
            Thread.sleep(50);
        }
    }

    /// Runs a command as the administrator of the cluster. Daemons continue in the background.
    private String run(boolean other, String... arguments) throws IOException, InterruptedException {
        Path output = Files.createTempFile(conf.getParent(), "output", "");
        Path root = Path.of("/");
        ProcessBuilder builder = new ProcessBuilder(
                other ? hosts.enterOther(root, List.of(arguments)) : hosts.enter(root, List.of(arguments)));
        builder.environment().put("SLURM_CONF", conf.toString());
        Process process = builder.redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        boolean exited = new HangLimit(START_SECONDS).awaitEnd(process);
        if (!exited || process.exitValue() != 0)
            throw new AssertionError("%s: %s".formatted(List.of(arguments), Files.readString(output)));
        return Files.readString(output);
    }

    @Override
    public List<String> enter(Path directory, List<String> arguments) {
        return hosts.enter(directory, arguments);
    }

    @Override
    public Map<String, String> environment() {
        Map<String, String> variables = new TreeMap<>(hosts.environment());
        variables.put("SLURM_CONF", conf.toString());
        return variables;
    }

    @Override
    public void close() {
        hosts.close();
    }
}
