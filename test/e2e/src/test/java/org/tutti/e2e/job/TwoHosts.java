package org.tutti.e2e.job;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/// Two hosts, `a` and `b`, simulated on one machine and connected by a virtual cable.
///
///     host a (10.77.0.1) ──veth0════veth0── host b (10.77.0.2)
///       commands run here                     reached through RSH only, as with ssh: a separate environment
///
/// Each host has a separate name, network, /proc, /tmp, /dev/shm and System V memory. Host `b` also has a
/// separate clock (System.nanoTime), which is a thousand seconds ahead, as if the host had been started
/// earlier. The rest of the file system is shared, like the home directories of a cluster. Processes of `a` are
/// invisible on `b`. The process namespace of `b` is inside that of `a`, because otherwise RSH could not enter
/// it. The namespaces have no names: the kernel removes a namespace when the last process ends, and all
/// processes end with this JVM.
public final class TwoHosts implements CommandEnvironment, AutoCloseable {
    private static final int SCANS = 100, SCAN_MILLIS = 20;

    private static final List<String> NEEDED = List.of("unshare", "nsenter", "ip", "bash", "mount");

    /// Mounts private directories and a new /sys, which shows the network cards of the namespace in which it is
    /// mounted.
    private static final String MOUNTS = "size=" + Sandbox.SIZE + " preserved=$1\n" + Sandbox.MOUNT + """
            mount --rbind /sys/fs/cgroup /mnt && mount -t sysfs tutti-test /sys || exit 1
            mount --rbind /mnt /sys/fs/cgroup && umount -l /mnt || exit 1
            ip link set lo up || exit 1
            """;

    /// The first process must remain a shell, which reaps orphans. Without the `exit` at the end, the shell
    /// would replace itself with `sleep`.
    private static final String HOST_B = "hostname b || exit 1\n" + MOUNTS + "echo ready\nsleep infinity\nexit\n";

    private static final String HOST_A = "hostname a || exit 1\n" + MOUNTS + """
            printf '127.0.0.1 localhost\\n10.77.0.1 a\\n10.77.0.2 b\\n' >/tmp/hosts
            mount --bind /tmp/hosts /etc/hosts || exit 1
            coproc B { exec unshare --time --monotonic 1000 --net --uts --ipc --mount --pid --fork --kill-child --mount-proc bash -c "$2" b "$1"; }
            shell=$B_PID
            read -r line <&"${B[0]}"
            [ "$line" = ready ] || exit 1
            ip link add veth0 type veth peer name veth0 netns "$shell" || exit 1
            read -r b <"/proc/$shell/task/$shell/children"
            ip addr add 10.77.0.1/24 dev veth0 && ip link set veth0 up || exit 1
            nsenter -t $b -n sh -c 'ip addr add 10.77.0.2/24 dev veth0 && ip link set veth0 up' || exit 1
            # the kernel can report a new link as up with a delay of one second, and libraries ignore the link until then
            isUp() { ip -o link show dev veth0 | grep -q 'state UP' && nsenter -t $b -n ip -o link show dev veth0 | grep -q 'state UP'; }
            for try in $(seq 300); do isUp && break; sleep 0.1; done
            echo "ready $b"
            cat >/dev/null
            exit
            """;

    /// A replacement for ssh, which ignores the options.
    private static final String RSH = """
            #!/bin/bash
            while [[ $1 == -* ]]; do shift; done
            if [[ $1 != b && $1 != 10.77.0.2 ]]; then
                echo "ssh: Could not resolve hostname $1: Name or service not known" >&2
                exit 255
            fi
            shift
            exec nsenter -t PID -T -m -u -i -n -p -- env -i MARK PATH=/usr/local/bin:/usr/bin:/bin HOME="$HOME" \\
                USER="$USER" LOGNAME="$USER" SHELL=/bin/bash bash -c "cd; $*"
            """;

    private final Process holder;
    private final long a;
    private final long b;
    private final Path rsh;
    private Set<String> before;

    private TwoHosts(Process holder, long a, long b, Path rsh) {
        this.holder = holder;
        this.a = a;
        this.b = b;
        this.rsh = rsh;
        before = content();
    }

    /// Creates the hosts, or skips the test with the reason if this user has no permission.
    public static TwoHosts start() {
        for (String command : NEEDED) Way.need(Way.isOnPath(command), command + " is not installed");
        Path directory = Checkout.scratch("hosts");
        Path err = directory.resolve("stderr");
        try {
            Process holder = new ProcessBuilder(
                            "unshare",
                            "--net",
                            "--uts",
                            "--ipc",
                            "--mount",
                            "--pid",
                            "--fork",
                            "--kill-child",
                            "--mount-proc",
                            "bash",
                            "-c",
                            HOST_A,
                            "a",
                            Sandbox.PRESERVED,
                            HOST_B)
                    .redirectError(err.toFile())
                    .start();
            String output = new BufferedReader(new InputStreamReader(holder.getInputStream(), StandardCharsets.UTF_8))
                    .readLine();
            if (output == null || !output.startsWith("ready ")) {
                holder.destroyForcibly();
                holder.waitFor();
                Way.skip("this user may not create network and process namespaces: "
                        + Files.readString(err).strip());
            }
            String inner = output.substring("ready ".length());
            Path rsh = directory.resolve("rsh");
            String mark = Processes.MARK_NAME + "=" + Processes.MARK;
            Files.writeString(rsh, RSH.replace("PID", inner).replace("MARK", mark));
            if (!rsh.toFile().setExecutable(true)) throw new IOException("cannot make " + rsh + " executable");
            ProcessHandle a = holder.children().findFirst().orElseThrow();
            ProcessHandle b =
                    a.children().flatMap(ProcessHandle::children).findFirst().orElseThrow();
            return new TwoHosts(holder, a.pid(), b.pid(), rsh);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public List<String> enter(Path directory, List<String> arguments) {
        return enter(a, directory, arguments);
    }

    /// Like [#enter] on host `b`. The test enters the host directly, not through host `a`.
    List<String> enterOther(Path directory, List<String> arguments) {
        return enter(b, directory, arguments);
    }

    private static List<String> enter(long host, Path directory, List<String> arguments) {
        List<String> line = List.of("nsenter", "-t", Long.toString(host), "-m", "-u", "-i", "-n", "-p", "--");
        List<String> shell = List.of("sh", "-c", Sandbox.ENTER, directory.toString());
        return Stream.of(line, shell, arguments).flatMap(List::stream).toList();
    }

    /// Returns the settings with which the mpirun of Open MPI and MPICH uses RSH instead of ssh.
    @Override
    public Map<String, String> environment() {
        return Map.of(
                "OMPI_MCA_plm_rsh_agent",
                rsh.toString(),
                "HYDRA_LAUNCHER",
                "ssh",
                "HYDRA_LAUNCHER_EXEC",
                rsh.toString());
    }

    /// Returns the pid of the command, not of `nsenter`, for signals.
    public static long pid(Child child) {
        return ProcessHandle.of(child.pid())
                .flatMap(entered -> entered.children().findFirst())
                .orElseThrow()
                .pid();
    }

    /// Returns the pid outside of the namespaces of process `pid` on host `b`. A single scan of /proc can miss
    /// a process, so the scan is repeated.
    public long outerPid(long pid) throws IOException, InterruptedException {
        for (int tries = 0; tries < SCANS; tries++) {
            long found = findOnOther(pid);
            if (found != 0) return found;
            Thread.sleep(SCAN_MILLIS);
        }
        throw new IllegalStateException("host b has no process " + pid);
    }

    /// Scans once; returns 0 if the process is not found.
    private long findOnOther(long pid) throws IOException {
        for (long candidate : Processes.alive()) {
            if (!isOnOther(candidate)) continue;
            for (String line : Files.readAllLines(Path.of("/proc/" + candidate + "/status"))) {
                if (line.startsWith("NSpid:") && line.endsWith("\t" + pid)) return candidate;
            }
        }
        return 0;
    }

    /// Returns whether the process runs on host `b`.
    public boolean isOnOther(long pid) {
        return uts(pid).equals(uts(b));
    }

    private static String uts(long pid) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/" + pid + "/ns/uts")).toString();
        } catch (IOException e) {
            return "has ended";
        }
    }

    /// Returns the files in the directories of the hosts that are new since the start or the previous call, for
    /// example `b:/tmp/NAME`.
    public Set<String> newFiles() {
        Set<String> now = content();
        Set<String> names = new TreeSet<>(now);
        names.removeAll(before);
        before = now;
        return names;
    }

    private Set<String> content() {
        Set<String> names = new TreeSet<>();
        for (String directory : List.of("/tmp", "/dev/shm")) {
            for (String name : Sandbox.list(Path.of("/proc/" + a + "/root" + directory)))
                names.add("a:" + directory + "/" + name);
            for (String name : Sandbox.list(Path.of("/proc/" + b + "/root" + directory)))
                names.add("b:" + directory + "/" + name);
        }
        return names;
    }

    /// Ends all processes on the hosts.
    @Override
    public void close() {
        holder.destroyForcibly();
    }
}
