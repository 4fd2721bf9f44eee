package programs;

import static org.tutti.mpi.Buf.buf;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Comparison;
import org.tutti.mpi.Group;
import org.tutti.mpi.Intercomm;
import org.tutti.mpi.Launch;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Port;
import org.tutti.mpi.Request;
import org.tutti.mpi.Window;

/// Ranks that spawn children in the mode that the first argument selects, and the programs of the children.
public final class Children {
    private static final int LONG = 300_000;
    private static final long MOST_SHARED_KIB = 128 << 10;

    private Children() {}

    public static void main(String[] args) throws Exception {
        try (Mpi mpi = Mpi.init()) {
            Comm world = mpi.world();
            switch (args[0]) {
                case "talk" -> talkWithMany(mpi);
                case "programs" -> programs(mpi, args[1]);
                case "given" -> given(mpi, Path.of(args[1]));
                case "soft" -> {
                    for (int i = 1; i < args.length; i++) soft(mpi, args[i]);
                }
                case "nested" -> nested(mpi, 2);
                case "refused" -> {
                    for (String how : args[1].split(",")) refused(mpi, how);
                }
                case "independent" -> failAfterDisconnect(mpi);
                case "meet" -> {
                    world.spawn(3, Children::child, "serve").disconnect();
                    world.spawn(2, Children::child, "visit").disconnect();
                }
                case "siblings" -> {
                    world.spawn(1, Children::child, "serveDying").disconnect();
                    world.spawn(1, Children::child, "visitDying").disconnect();
                }
                case "often" -> often(mpi, Integer.parseInt(args[1]));
                case "delayed" -> delayed(mpi);
                case "open" -> {
                    Port.open(mpi); // open: 1
                    Port.open(mpi).close();
                    Port.open(mpi); // open: 3
                }
                case "delayedServer" -> {
                    Intercomm children = world.spawn(1, Children::child, "delayedServer");
                    String name = world.rank() == 0 ? children.recvObject(String.class, 0, 1) : null;
                    world.connect(name, 0).disconnect();
                    children.disconnect();
                    if (world.rank() == 0) System.out.println("delayed");
                }
                case "fails", "waits" -> {
                    Intercomm children = world.spawn(2, Children::child, args);
                    children.barrier();
                    if (world.rank() == 0)
                        System.out.println("ready 0 " + ProcessHandle.current().pid());
                    world.barrier();
                    if (args[1].equals("parent") && world.rank() == world.size() - 1) {
                        throw new IllegalStateException("a parent throws on purpose");
                    }
                    world.recvObject(String.class, 0, 99);
                }
                default -> throw new IllegalArgumentException(args[0]);
            }
        }
    }

    static void child(String... args) throws Exception {
        if (args[0].equals("early")) early(args[1]);
        try (Mpi mpi = Mpi.init()) {
            Comm world = mpi.world();
            Intercomm parents = Objects.requireNonNull(mpi.parent());
            switch (args[0]) {
                case "talk" -> talk(mpi, parents, false, Integer.parseInt(args[1]));
                case "programs" ->
                    report(
                            world,
                            parents,
                            mpi.appNumber().getAsInt() + List.of(args).toString());
                case "given" -> report(world, parents, processSettings());
                case "soft" -> parents.barrier();
                case "early" -> {
                    // disconnects only
                }
                case "nested" -> nested(mpi, Integer.parseInt(args[1]));
                case "once" -> parents.sendrecv(buf(new int[] {world.rank()}), 0, buf(new int[1]), 0);
                case "delayed" -> Thread.sleep(6_000);
                case "delayedServer" -> {
                    try (Port port = Port.open(mpi)) {
                        parents.sendObject(port.name(), 0, 1);
                        Thread.sleep(6_000);
                        world.accept(port, 0).disconnect();
                    }
                }
                case "serve" -> {
                    parents.disconnect();
                    try (Port port = world.rank() == 0 ? Port.open(mpi) : null) {
                        if (port != null) port.publish("here");
                        meet(world.accept(port, 0), 2);
                    }
                }
                case "visit" -> {
                    parents.disconnect();
                    String name = world.rank() == 1 ? lookup(mpi, "here") : null;
                    meet(world.connect(name, 1), 3);
                }
                case "serveDying" -> {
                    parents.disconnect();
                    try (Port port = Port.open(mpi)) {
                        port.publish("dying");
                        Intercomm visitor = world.accept(port, 0);
                        try {
                            visitor.recvObject(String.class, 0, 1);
                        } catch (MpiException e) {
                            System.out.println(e.errorClass() + " " + e.getMessage());
                        }
                    }
                }
                case "visitDying" -> {
                    parents.disconnect();
                    world.connect(lookup(mpi, "dying"), 0);
                    Thread.sleep(500);
                    Runtime.getRuntime().halt(9);
                }
                case "apart" -> {
                    parents.disconnect();
                    Thread.sleep(200);
                    if (world.rank() == 1) throw new IllegalStateException("a child throws on purpose");
                    world.recvObject(String.class, 1, 5);
                }
                case "fails", "waits" -> {
                    parents.barrier();
                    if (args[1].equals("child") && world.rank() == 1) {
                        throw new IllegalStateException("a child throws on purpose");
                    }
                    if (args[1].equals("exit") && world.rank() == 1) System.exit(9);
                    System.out.println("ready " + (1 + world.rank()) + " "
                            + ProcessHandle.current().pid());
                    parents.recvObject(String.class, 0, 98);
                }
                default -> throw new IllegalArgumentException(args[0]);
            }
            if (mpi.parent() != null) parents.disconnect();
            require(mpi.parent() == null, "there are parents after disconnect");
        }
    }

    private static void early(String how) throws InterruptedException {
        switch (how) {
            case "exit" -> {
                if (System.getenv("TUTTI_RANK").equals("0")) System.exit(7);
                Thread.sleep(Long.MAX_VALUE);
            }
            case "throw" -> {
                if (System.getenv("TUTTI_RANK").equals("0")) throw new IllegalStateException("not today");
                Thread.sleep(Long.MAX_VALUE);
            }
            case "partly" -> {
                // rank 0 joins and waits for the parents; rank 1 does not join
                if (System.getenv("TUTTI_RANK").equals("1")) return;
                Thread.sleep(700);
                System.exit(7);
            }
            case "end" -> System.exit(0);
            default -> Thread.sleep(Long.MAX_VALUE);
        }
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) throw new IllegalStateException(otherwise);
    }

    // ---- calls of the two worlds together

    private static void talkWithMany(Mpi mpi) {
        Comm world = mpi.world();
        require(mpi.parent() == null, "parents of a program that was not spawned");
        for (int n = 1; n <= 3; n++) {
            int root = n % world.size();
            Intercomm children = world.spawnMultiple(root, Launch.of(n, Children::child, "talk", "" + world.size()));
            require(children.remoteSize() == n && children.size() == world.size(), "sizes of " + children);
            require(children.group().compare(world.group()) == Comparison.IDENT, "the local group");
            talk(mpi, children, true, n);
            children.disconnect();
        }
        if (world.rank() == 0) System.out.println("talked");
    }

    private static void talk(Mpi mpi, Intercomm inter, boolean isParent, int remote) {
        Comm world = mpi.world();
        int me = world.rank(), mine = world.size();
        require(inter.remoteSize() == remote, inter + " has " + inter.remoteSize());
        // in each direction, short and long
        for (int length : new int[] {1, 100, LONG}) {
            int[] data = new int[length];
            boolean sends = isParent == (length != 100);
            if (sends && me == 0) Arrays.fill(data, length);
            inter.bcast(buf(data), sends ? me == 0 ? Comm.ROOT : Comm.PROC_NULL : 0);
            require(data[length - 1] == length || sends && me > 0, "bcast of " + length);
        }
        double[] sum = {0};
        inter.allreduce(buf(new double[] {isParent ? 1 : 10}), buf(sum), Op.SUM);
        require(sum[0] == (isParent ? 10 : 1) * remote, "sum " + sum[0]);
        Request[] sends = new Request[remote];
        for (int r = 0; r < remote; r++) sends[r] = inter.isend(buf(new int[] {me, r}), r, 7);
        for (int r = 0; r < remote; r++) {
            int[] got = new int[2];
            int from = inter.recv(buf(got), Comm.ANY_SOURCE, 7).source();
            require(got[0] == from && got[1] == me, "from " + from + ": " + Arrays.toString(got));
        }
        for (Request send : sends) send.await();
        inter.barrier();
        for (boolean childrenFirst : new boolean[] {false, true}) {
            try (OwnedComm all = inter.merge(isParent == childrenFirst)) {
                int first = isParent == childrenFirst ? remote : 0;
                require(all.rank() == first + me && all.size() == mine + remote, "merged as " + all);
                merged(mpi, all);
            }
        }
        try (Intercomm second = inter.dup()) {
            second.barrier();
        }
    }

    /// Uses a communicator with the ranks of the two worlds.
    private static void merged(Mpi mpi, OwnedComm all) {
        int n = all.size(), me = all.rank();
        require(all.allreduce(me, Op.SUM) == n * (n - 1) / 2, "sum over " + all);
        int[] from = new int[1];
        all.sendrecv(buf(new int[] {me}), (me + 1) % n, buf(from), (me + n - 1) % n);
        require(from[0] == (me + n - 1) % n, "neighbour " + from[0]);
        Group group = all.group();
        int[] backwards = new int[n];
        for (int r = 0; r < n; r++) backwards[r] = n - 1 - r;
        try (OwnedComm reversed = mpi.createFromGroup(group.incl(backwards), "reversed")) {
            require(reversed.rank() == n - 1 - me, "reversed as " + reversed);
            require(reversed.allreduce(1, Op.SUM) == n, "reversed");
        }
        try (OwnedComm part = all.createGroup(group.rangeIncl(new Group.Range(0, n - 1, 1)))) {
            part.barrier();
        }
        try (OwnedComm half = all.split(me % 2)) {
            require(half.allreduce(1, Op.SUM) == (n + 1 - me % 2) / 2, "half");
            if (n > 1) {
                try (Intercomm both = half.intercomm(0, all, 1 - me % 2, 3)) {
                    both.barrier();
                }
            }
        }
        try (Window window = Window.allocate(all, 8L * n)) {
            window.fence();
            for (int r = 0; r < n; r++) window.put(buf(new long[] {100 * me + r}), r, 8L * me);
            window.fence();
            for (int r = 0; r < n; r++) {
                long got = window.memory().getAtIndex(java.lang.foreign.ValueLayout.JAVA_LONG, r);
                require(got == 100L * r + me, "in the window " + got);
            }
        }
    }

    // ---- two worlds that connect

    private static String lookup(Mpi mpi, String service) throws InterruptedException {
        while (true) {
            try {
                return Port.lookup(mpi, service);
            } catch (MpiException e) {
                Thread.sleep(5); // not published yet
            }
        }
    }

    private static void meet(Intercomm met, int remote) {
        double[] sum = {0};
        met.allreduce(buf(new double[] {1}), buf(sum), Op.SUM);
        require(met.remoteSize() == remote && sum[0] == remote, "met " + met);
        try (OwnedComm all = met.merge(remote == 2)) {
            if (all.rank() == 0) System.out.println("met " + all.allreduce(1, Op.SUM));
            else all.allreduce(1, Op.SUM);
        }
        met.disconnect();
    }

    // ---- several programs, several generations

    private static void report(Comm world, Intercomm parents, String text) {
        parents.sendObject(world.rank() + " of " + world.size() + ": " + text, 0, 0);
    }

    /// A class with a main method, like the class of a source file without an explicit class.
    public static final class Second {
        static void main(String[] args) throws Exception {
            child(args);
        }
    }

    private static void programs(Mpi mpi, String file) throws Exception {
        Intercomm children = mpi.world()
                .spawnMultiple(
                        0,
                        Launch.of(2, Children::child, "programs", "a b"),
                        Launch.of(1, Second.class, "programs", ""),
                        Launch.of(1, "programs.Children$Second", "programs", "c"),
                        Launch.of(1, file),
                        Launch.of(1, file));
        if (mpi.world().rank() == 0) {
            for (int r = 0; r < children.remoteSize(); r++) System.out.println(children.recvObject(String.class, r, 0));
            require(mpi.appNumber().orElse(0) == 0, "the first program");
        }
        children.disconnect();
    }

    /// Returns the environment, directory and options of this process.
    private static String processSettings() {
        return System.getenv("TO_ALL") + ", " + System.getenv("TO_ONE") + " in "
                + Path.of("").toAbsolutePath().getFileName() + ", file " + Files.exists(Path.of("here")) + ", "
                + (Runtime.getRuntime().maxMemory() >> 20) + " MiB, -D " + System.getProperty("given");
    }

    /// Spawns programs with different environments, directories and options. The last program has no arguments.
    private static void given(Mpi mpi, Path directory) throws Exception {
        Launch one = Launch.of(1, Children::child, "given");
        Launch two = one.env("TO_ALL", "a b=\"c\" $HOME").jvm("-Xmx96m", "-XX:+UseSerialGC", "-Dgiven=x y");
        Intercomm children = mpi.world()
                .spawnMultiple(
                        0,
                        two.env("TO_ONE", "").wdir(directory).jvm("-Xmx64m"),
                        two.wdir(Path.of("").toAbsolutePath().relativize(directory.toAbsolutePath())),
                        one);
        if (mpi.world().rank() == 0) {
            String here = Path.of("").toAbsolutePath().getFileName().toString();
            for (int r = 0; r < 2; r++) System.out.println(children.recvObject(String.class, r, 0));
            String last = children.recvObject(String.class, 2, 0);
            require(last.contains(": null, null in " + here + ", file false, ") && last.endsWith("-D null"), last);
        }
        children.disconnect();
    }

    /// Spawns, for `4x1:4:2 3`, up to four ranks (4, with the soft counts `1:4:2`) and a program with three
    /// ranks.
    private static void soft(Mpi mpi, String wanted) {
        String[] parts = wanted.split("[x ]");
        List<Launch> programs = new ArrayList<>();
        programs.add(
                Launch.of(Integer.parseInt(parts[0]), Children::child, "soft").soft(parts[1]));
        for (int i = 2; i < parts.length; i++) {
            programs.add(Launch.of(Integer.parseInt(parts[i]), Children::child, "soft"));
        }
        Intercomm children = mpi.world().spawnMultiple(0, programs.toArray(Launch[]::new));
        if (mpi.world().rank() == 0) System.out.println(wanted + ": " + children.remoteSize());
        children.barrier();
        children.disconnect();
    }

    private static void nested(Mpi mpi, int more) {
        if (more > 0) {
            Intercomm children = mpi.world().spawn(2, Children::child, "nested", "" + (more - 1));
            try (OwnedComm all = children.merge(false)) {
                require(all.allreduce(1, Op.SUM) == mpi.world().size() + 2, "generations");
            }
            children.disconnect();
        }
        if (mpi.parent() != null) {
            try (OwnedComm all = mpi.parent().merge(true)) {
                require(all.allreduce(1, Op.SUM) == all.size(), "generations");
            }
        } else if (mpi.world().rank() == 0) {
            System.out.println("three generations");
        }
    }

    private static void often(Mpi mpi, int times) throws IOException {
        for (int i = 0; i < times; i++) {
            Intercomm children = mpi.world().spawnMultiple(i % 2, Launch.of(1 + i % 3, Children::child, "once"));
            for (int r = 0; r < children.remoteSize() && children.rank() == 0; r++) {
                int[] got = {-1};
                children.sendrecv(buf(new int[] {i}), r, buf(got), r);
                require(got[0] == r, "child " + r + " sent " + got[0]);
            }
            children.disconnect();
        }
        long kib = sharedKib();
        require(kib < MOST_SHARED_KIB, kib + " KiB of shared memory after " + times + " worlds");
        if (mpi.world().rank() == 0) System.out.println("often");
    }

    /// Returns the allocated size of the job's memory, in KiB.
    private static long sharedKib() throws IOException {
        Process stat = new ProcessBuilder("stat", "-L", "-c", "%b", System.getenv("TUTTI_JOB")).start();
        try (BufferedReader out = stat.inputReader()) {
            return Long.parseLong(out.readLine()) / 2; // blocks of 512 bytes
        }
    }

    // ---- errors

    private static void refused(Mpi mpi, String how) {
        Comm world = mpi.world();
        String message = "";
        try {
            switch (how) {
                case "class" -> world.spawnMultiple(0, Launch.of(1, "no.such.Class"));
                case "file" -> world.spawnMultiple(0, Launch.of(1, "none.java"));
                case "python" -> world.spawnMultiple(0, Launch.of(1, "none.py"));
                case "main" -> world.spawn(2, NoMain.class);
                case "none" -> world.spawnMultiple(0);
                case "size" -> world.spawn(0, Children::child);
                case "root" -> world.spawnMultiple(world.size(), Launch.of(1, Children::child));
                case "wdir" ->
                    world.spawnMultiple(
                            0,
                            Launch.of(1, Children::child),
                            Launch.of(1, Children::child).wdir(Path.of("no/such")));
                case "jvm" ->
                    world.spawnMultiple(0, Launch.of(1, Children::child).jvm("-Xmx64m", "-XX:NoSuchFlag"));
                case "million" -> world.spawn(1_000_000, Children::child);
                default -> world.spawn(2, Children::child, "early", how);
            }
        } catch (MpiException e) {
            message = e.errorClass() + " " + e.scope() + " " + e.getMessage();
        }
        System.out.println(how + ": " + message);
        require(world.allreduce(1, Op.SUM) == world.size(), "size of the world");
    }

    /// A failure after the disconnect affects only the failed world.
    private static void failAfterDisconnect(Mpi mpi) throws InterruptedException {
        Intercomm children = mpi.world().spawn(2, Children::child, "apart");
        children.disconnect();
        Thread.sleep(2_000);
        require(mpi.world().allreduce(1, Op.SUM) == mpi.world().size(), "parents");
        if (mpi.world().rank() == 0) System.out.println("parents go on");
    }

    /// All parents wait for the children, which act only after a while.
    private static void delayed(Mpi mpi) {
        Intercomm children = mpi.world().spawn(2, Children::child, "delayed");
        children.disconnect();
        if (mpi.world().rank() == 0) System.out.println("delayed");
    }
}
