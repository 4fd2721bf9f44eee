package programs;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.tutti.job.environment.Host;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;

/// Prints properties of a rank that options of the launcher determine.
public final class RankPrinter {
    private RankPrinter() {}

    public static void main(String[] args) throws Exception {
        try (Mpi mpi = Mpi.init()) {
            String rank = "rank " + mpi.world().rank() + " of " + mpi.world().size();
            switch (args[0]) {
                case "arguments" -> System.out.println(rank + ": " + List.of(args));
                case "environment" -> System.out.println(rank + ": " + args[1] + "=" + System.getenv(args[1]));
                case "property" -> System.out.println(rank + ": " + args[1] + "=" + System.getProperty(args[1]));
                case "directory" -> System.out.println(rank + ": " + Path.of("").toAbsolutePath());
                case "streams" -> {
                    System.out.println(rank + " out");
                    System.err.println(rank + " err");
                }
                case "stdin" -> System.out.println(rank + ": " + new String(System.in.readAllBytes()).strip());
                case "engine" -> System.out.println(rank + ": " + mpi.engineName());
                case "lines" -> {
                    for (int i = 0; i < 100_000; i++) System.out.println(rank + ": line " + i);
                }
                case "longLines" -> longLines(mpi.world());
                case "cpus" -> {
                    String status = Files.readString(Path.of("/proc/self/status"));
                    String cpus = status.replaceFirst("(?s).*Cpus_allowed_list:\\s*(\\S+).*", "$1");
                    System.out.println(rank + ": cpus " + cpus + ", one hwthread: "
                            + mpi.hardware().get("hwloc://PU") + ", counts on "
                            + Runtime.getRuntime().availableProcessors());
                }
                case "names" ->
                    System.out.println(rank + ": TUTTI " + System.getenv("TUTTI_RANK") + " of "
                            + System.getenv("TUTTI_SIZE") + ", on this machine " + System.getenv("TUTTI_LOCAL_RANK")
                            + " of "
                            + System.getenv("TUTTI_LOCAL_SIZE"));
                case "place" ->
                    System.out.println(rank + ": on " + Host.name() + ", local "
                            + System.getenv("TUTTI_LOCAL_RANK") + " of " + System.getenv("TUTTI_LOCAL_SIZE") + ", sum "
                            + mpi.world().allreduce(mpi.world().rank(), Op.SUM) + ", in "
                            + Path.of("").toAbsolutePath() + ", GREETING=" + System.getenv("GREETING"));
                case "where" -> {
                    RankEnvironment environment = RankEnvironment.current();
                    System.out.println(rank + ": on " + Host.name() + ", local " + environment.localRank() + " of "
                            + environment.localSize());
                }
                case "options" ->
                    System.out.println(rank + ": " + System.getenv(args[1]) + ", " + System.getenv(args[2]) + ", "
                            + System.getProperty(args[3]) + ", " + Path.of("").toAbsolutePath() + ", "
                            + mpi.engineName() + ", " + List.of(args).subList(4, args.length));
                case "hello" -> System.out.println(rank);
                default -> throw new IllegalArgumentException(args[0]);
            }
        }
    }

    /// Prints lines of 1 byte to 200 KiB, some in one part and some in two. Each rank repeats a different
    /// character.
    private static void longLines(Comm world) {
        String character = String.valueOf((char) ('a' + world.rank()));
        world.barrier();
        for (int i = 0; i < 40; i++) {
            int length = 1 + i * i * 131;
            int first = i % 2 == 0 ? length / 2 : 0;
            System.out.print(character.repeat(first));
            System.out.println(character.repeat(length - first));
        }
    }
}
