package org.tutti.e2e.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Python;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;

/// Tutti and mpi4py write the same bytes through random file views, and each reads the files of the other. The
/// test uses the two file implementations of Open MPI. Unwritten bytes may differ, because ROMIO writes
/// arbitrary values there.
@Tag("ci")
class ForeignFilesTest extends JobTest {
    private static final int CASES = Tier.FULL ? 200 : 12;
    private static final List<String> CALLS = List.of("at", "at_all", "pointer", "pointer_all", "i_at", "split");
    private static final List<String> TYPES = List.of("BYTE", "SHORT", "INT", "DOUBLE");

    /// The types for OMPIO; ROMIO aborts the job on a view with pair types.
    private static final List<String> TYPES_OF_OMPIO =
            List.of("BYTE", "SHORT", "INT", "DOUBLE", "DOUBLE_INT", "LONG_INT");

    private static final Path SCRIPT = Checkout.module("tutti-e2e").resolve("src/test/python/file_views.py");

    private final Path folder = Checkout.scratch("files");

    @ParameterizedTest
    @ValueSource(strings = {"ompio", "romio321"})
    void filesMatchFilesOfMpi4py(String component) throws Exception {
        Way.OPEN_MPI.require();
        for (int ranks : Tier.FULL ? new int[] {2, 3, 4} : new int[] {3}) {
            long seed = 4711L + ranks;
            Path plan = Files.writeString(
                    folder.resolve("plan" + ranks),
                    plan(new SplittableRandom(seed), ranks, component.equals("ompio") ? TYPES_OF_OMPIO : TYPES));
            String ours = folder.resolve("java" + ranks + "-").toString();
            String theirs = folder.resolve("python" + ranks + "-").toString();
            check(java(ranks, "write", plan, ours));
            check(python(ranks, component, "write", plan, theirs));
            for (int i = 0; i < CASES; i++) compare(plan, i, Path.of(ours + i), Path.of(theirs + i));
            check(java(ranks, "read", plan, theirs));
            check(python(ranks, component, "read", plan, ours));
        }
    }

    private static void check(ProcessOutcome outcome) {
        assertThat(outcome.code()).as("%s", outcome).isZero();
    }

    private static ProcessOutcome java(int ranks, String action, Path plan, String prefix) throws Exception {
        return Command.program(Way.SHM, ranks, List.of(), "FileViews", action, plan.toString(), prefix)
                .run();
    }

    private static ProcessOutcome python(int ranks, String component, String action, Path plan, String prefix)
            throws Exception {
        List<String> arguments = new ArrayList<>(List.of("mpirun.openmpi", "-n", String.valueOf(ranks)));
        arguments.addAll(
                List.of("--mca", "io", component, "python3", SCRIPT.toString(), action, plan.toString(), prefix));
        return Command.of(arguments).env("PATH", Python.path()).run();
    }

    /// Compares the written bytes, which are never 0. In a file of Tutti, unwritten bytes are 0.
    private static void compare(Path plan, int i, Path ours, Path theirs) throws IOException {
        byte[] a = Files.readAllBytes(ours), b = Files.readAllBytes(theirs);
        String which = Files.readAllLines(plan).stream()
                .filter(line -> line.startsWith(i + " "))
                .collect(Collectors.joining("\n"));
        assertThat(a.length).as("length of\n%s", which).isEqualTo(b.length);
        for (int k = 0; k < a.length; k++) {
            if (a[k] != 0) assertThat(a[k]).as("byte %d of\n%s", k, which).isEqualTo(b[k]);
        }
    }

    /// Returns the plan, with one line per file and rank. The views of the ranks are disjoint.
    private static String plan(SplittableRandom r, int ranks, List<String> types) {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < CASES; i++) {
            String type = types.get(r.nextInt(types.size())), call = CALLS.get(i % CALLS.size());
            long displacement = r.nextInt(3) * 8L;
            int tiles = r.nextInt(1, r.nextInt(3) == 0 ? 300 : 10);
            List<String> views = switch (r.nextInt(3)) {
                case 0 -> blocks(r, ranks);
                case 1 -> dealt(r, ranks);
                default -> columns(r, ranks);
            };
            for (int rank = 0; rank < ranks; rank++) {
                String[] view = views.get(rank).split(":");
                int each = Integer.parseInt(view[0]);
                int skipped = each == 0 ? 0 : r.nextInt(each);
                int count = each * tiles - skipped;
                all.append(String.join(
                                " ",
                                String.valueOf(i),
                                String.valueOf(rank),
                                call,
                                type,
                                String.valueOf(displacement),
                                String.valueOf(skipped),
                                String.valueOf(count),
                                view[1]))
                        .append('\n');
            }
        }
        return all.toString();
    }

    /// Returns views of the ranks' blocks, in rank order.
    private static List<String> blocks(SplittableRandom r, int ranks) {
        int block = r.nextInt(1, 5), stride = block * ranks + r.nextInt(3);
        return IntStream.range(0, ranks)
                .mapToObj(rank -> block + ":indexed " + block + " " + rank * block + " " + stride)
                .toList();
    }

    /// Returns views that assign the elements to the ranks at random, and some elements to no rank.
    private static List<String> dealt(SplittableRandom r, int ranks) {
        int tile = r.nextInt(ranks, 30);
        int[] owner = r.ints(tile, 0, ranks + 1).toArray();
        for (int rank = 0; rank < ranks; rank++) owner[rank] = rank;
        return IntStream.range(0, ranks)
                .mapToObj(rank -> {
                    int[] places = IntStream.range(0, tile)
                            .filter(k -> owner[k] == rank)
                            .toArray();
                    int[] ones = new int[places.length];
                    Arrays.fill(ones, 1);
                    return places.length + ":indexed " + list(ones) + " " + list(places) + " " + tile;
                })
                .toList();
    }

    private static String list(int[] numbers) {
        return Arrays.stream(numbers).mapToObj(String::valueOf).collect(Collectors.joining(","));
    }

    /// Returns views of columns of a matrix, some for each rank.
    private static List<String> columns(SplittableRandom r, int ranks) {
        int height = r.nextInt(1, 6), width = r.nextInt(1, 5), all = width * ranks + r.nextInt(3);
        return IntStream.range(0, ranks)
                .mapToObj(rank -> height * width + ":subarray " + height + "," + all + " " + height + "," + width
                        + " 0," + rank * width)
                .toList();
    }
}
