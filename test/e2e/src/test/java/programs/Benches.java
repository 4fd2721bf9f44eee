package programs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.tutti.bench.BenchMain;
import org.tutti.bench.plan.BenchOptions;
import org.tutti.mpi.Mpi;

/// Several measurements in one job, because separate jobs would take too long: the arguments of each
/// measurement, separated by [#NEXT].
public final class Benches {
    public static final String NEXT = "next";

    private Benches() {}

    public static void main(String[] args) {
        try (Mpi mpi = Mpi.init()) {
            List<String> arguments = new ArrayList<>();
            for (String word : Arrays.asList(args)) {
                arguments.add(word);
                if (!word.equals(NEXT)) continue;
                if (!BenchMain.run(mpi, BenchOptions.of(arguments.toArray(new String[0])))) {
                    throw new IllegalStateException("wrong data arrived: " + arguments);
                }
                arguments.clear();
            }
        }
    }
}
