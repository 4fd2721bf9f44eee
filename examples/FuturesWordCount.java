/*
 * The words of files counted by ranks of an MPI program, which are workers for as long as rank 0 has tasks.
 *
 *     ./tutti run -n 3 examples/FuturesWordCount.java examples/data/proverbs.txt examples/Hello.java
 *
 *     …
 */

import java.nio.file.*;
import java.util.stream.*;
import org.tutti.futures.*;
import org.tutti.mpi.*;

Map<String, Long> count(String file) throws IOException {
    return Stream.of(Files.readString(Path.of(file)).toLowerCase().split("\\W+"))
            .collect(Collectors.groupingBy(word -> word, Collectors.counting()));
}

Map<String, Long> add(Map<String, Long> a, Map<String, Long> b) {
    b.forEach((word, n) -> a.merge(word, n, Long::sum));
    return a;
}

void main(String[] files) {
    try (Mpi mpi = Mpi.init()) {
        Map<String, Long> words = RankPool.lead(
                mpi.world(), 0, pool -> pool.reduce(f -> count(f), List.of(files), (a, b) -> add(a, b)));
        if (words != null) { // the others served
            IO.println(words.entrySet().stream()
                    .sorted(Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
                    .limit(3)
                    .map(e -> e.getKey() + " " + e.getValue())
                    .collect(Collectors.joining(", ")));
        }
    }
}
