/*
 * Counts words within an MPI program: the other ranks are workers while rank 0 has tasks.
 *
 *     ./tutti run -n 3 examples/FuturesWordCount.java
 *
 *     the 5, a 4, in 3
 *
 * With file names as arguments, counts the words of these files.
 */

import java.nio.file.*;
import java.util.stream.*;
import org.tutti.futures.*;
import org.tutti.mpi.*;

static final List<String> PROVERBS = List.of(
        "A stitch in time saves nine. A bird in the hand is worth two in the bush.",
        "The early bird catches the worm. The second mouse gets a piece, if not a slice.");

Map<String, Long> count(String text) {
    return Stream.of(text.toLowerCase().split("\\W+")).collect(Collectors.groupingBy(w -> w, Collectors.counting()));
}

Map<String, Long> countFile(String name) throws IOException {
    return count(Files.readString(Path.of(name)));
}

Map<String, Long> add(Map<String, Long> a, Map<String, Long> b) {
    b.forEach((word, n) -> a.merge(word, n, Long::sum));
    return a;
}

void main(String[] files) {
    try (Mpi mpi = Mpi.init()) {
        Map<String, Long> words = RankPool.call(
                mpi.world(),
                0,
                pool -> files.length > 0
                        ? pool.reduce(name -> countFile(name), List.of(files), (a, b) -> add(a, b))
                        : pool.reduce(text -> count(text), PROVERBS, (a, b) -> add(a, b)));
        if (words != null) { // null on the other ranks
            IO.println(words.entrySet().stream()
                    .sorted(Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
                    .limit(3)
                    .map(e -> e.getKey() + " " + e.getValue())
                    .collect(Collectors.joining(", ")));
        }
    }
}
