package mpi;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.tutti.mpi.Launch;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Port;

/// Spawned processes, and ports at which processes connect.
final class Processes {
    /// Options of `java` that are followed by a separate value.
    private static final java.util.Set<String> WITH_VALUE = java.util.Set.of(
            "-cp",
            "-classpath",
            "--class-path",
            "-p",
            "--module-path",
            "--add-modules",
            "--add-opens",
            "--add-exports");

    private static final Map<String, Port> PORTS = new ConcurrentHashMap<>();

    /// The ports that this process has published, by service name.
    private static final Map<String, String> PUBLISHED = new ConcurrentHashMap<>();

    private Processes() {}

    static Intercomm spawn(
            Intracomm comm, String[] commands, String[][] argv, int[] maxprocs, Info[] infos, int root, int[] codes)
            throws MPIException {
        org.tutti.mpi.Communicator c = comm.state.open();
        Launch[] launches = {};
        if (c.rank() == root) {
            launches = new Launch[commands.length];
            for (int i = 0; i < launches.length; i++) {
                String[] arguments = argv == null || argv[i] == null ? new String[0] : argv[i];
                launches[i] = launch(commands[i], arguments, maxprocs[i], Info.map(infos == null ? null : infos[i]));
            }
        }
        Launch[] all = launches;
        Intercomm made = new Intercomm(comm.state.made(parent -> parent.spawnMultiple(root, all)));
        if (codes != null) Arrays.fill(codes, MPI.SUCCESS);
        return made;
    }

    /// Returns the launch of a command. If the command is `java`, the launch starts the class or jar that the
    /// arguments name; any other command is passed to `tutti run`.
    private static Launch launch(String command, String[] arguments, int size, Map<String, String> info)
            throws MPIException {
        Launch launch;
        if (Path.of(command).getFileName().toString().equals("java")) {
            int at = 0;
            while (at < arguments.length && arguments[at].startsWith("-") && !arguments[at].equals("-jar")) {
                at += WITH_VALUE.contains(arguments[at]) ? 2 : 1;
            }
            int program = at < arguments.length && arguments[at].equals("-jar") ? at + 1 : at;
            if (program >= arguments.length) {
                throw Failures.of(MPI.ERR_SPAWN, "MPI_ERR_SPAWN: " + String.join(" ", arguments) + " names no class");
            }
            String[] rest = Arrays.copyOfRange(arguments, program + 1, arguments.length);
            launch = Launch.of(size, arguments[program], rest);
            if (at > 0) launch = launch.jvm(Arrays.copyOf(arguments, at));
        } else {
            launch = Launch.of(size, command, arguments);
        }
        String wdir = info.get("wdir");
        if (wdir != null) launch = launch.wdir(Path.of(wdir));
        String soft = info.get("soft");
        return soft == null ? launch : launch.soft(soft);
    }

    static String openPort() throws MPIException {
        try {
            Port port = Port.open(LifeCycle.mpi());
            PORTS.put(port.name(), port);
            return port.name();
        } catch (MpiException e) {
            throw Failures.of(e);
        }
    }

    private static Port port(String name) throws MPIException {
        Port port = PORTS.get(name);
        if (port == null) throw Failures.of(MPI.ERR_PORT, "MPI_ERR_PORT: " + name + " is not a port of this process");
        return port;
    }

    static void closePort(String name) throws MPIException {
        Port port = port(name);
        PORTS.remove(name);
        try {
            port.close();
        } catch (MpiException e) {
            throw Failures.of(e);
        }
    }

    static Intercomm accept(Intracomm comm, String name, int root) throws MPIException {
        Port port = comm.getRank() == root ? port(name) : null;
        return new Intercomm(comm.state.made(c -> c.accept(port, root)));
    }

    static void publish(String service, String name) throws MPIException {
        Port port = port(name);
        try {
            port.publish(service);
            PUBLISHED.put(service, name);
        } catch (MpiException e) {
            throw Failures.of(e);
        }
    }

    static void unpublish(String service, String name) throws MPIException {
        boolean wasPublished = PUBLISHED.remove(service, name);
        if (wasPublished && !PORTS.containsKey(name)) return; // withdrawn by closePort
        Port port = port(name);
        try {
            port.unpublish(service);
        } catch (MpiException e) {
            throw Failures.of(e);
        }
    }

    static String lookup(String service) throws MPIException {
        try {
            return Port.lookup(LifeCycle.mpi(), service);
        } catch (MpiException e) {
            throw Failures.of(e);
        }
    }
}
