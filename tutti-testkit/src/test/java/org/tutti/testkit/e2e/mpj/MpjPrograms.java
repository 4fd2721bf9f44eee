package org.tutti.testkit.e2e.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.tutti.testkit.job.Checkout;
import org.tutti.testkit.job.Command;
import org.tutti.testkit.job.Ended;
import org.tutti.testkit.job.Way;

/// The programs in `src/test/mpj`: compiled once, against stubs, and run with the drop-in in front of
/// them.
final class MpjPrograms {
    private static final Path SOURCES = Checkout.ROOT.resolve("tutti-testkit/src/test/mpj");
    private static final Path TABLE = Checkout.ROOT.resolve("tutti-compat-mpj/src/test/resources/mpi/mpj-express.tsv");

    private static Path compiled;

    private MpjPrograms() {}

    private static synchronized Path compiled() throws Exception {
        if (compiled == null) {
            Path where = Checkout.scratch("mpj");
            Path stubs = where.resolve("stubs");
            compile(stubs, "", MpjStubs.write(TABLE, where.resolve("src")));
            try (Stream<Path> files = Files.list(SOURCES)) {
                compile(where.resolve("classes"), stubs.toString(), files.toList());
            }
            compiled = where.resolve("classes");
        }
        return compiled;
    }

    private static void compile(Path into, String classPath, List<Path> files) throws Exception {
        List<String> javac = new ArrayList<>(List.of(
                Path.of(Checkout.java()).resolveSibling("javac").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-proc:none",
                "-cp",
                classPath,
                "-d",
                into.toString()));
        files.forEach(f -> javac.add(f.toString()));
        Ended ended = Command.of(javac).run();
        assertThat(ended.code()).as("%s", ended).isZero();
    }

    /// Where Maven has compiled the drop-in.
    static List<String> dropIn() {
        Path built = Checkout.BUILD.subpath(Checkout.ROOT.getNameCount() + 1, Checkout.BUILD.getNameCount());
        return Stream.of("tutti-compat-mpj", "tutti-compat")
                .map(module -> Checkout.ROOT
                        .resolve(module)
                        .resolve(built)
                        .resolve("classes")
                        .toString())
                .toList();
    }

    /// The Java of docs/from-mpj-express.md.
    static List<String> ofPage() throws Exception {
        String page = Files.readString(Checkout.ROOT.resolve("docs/from-mpj-express.md"));
        return Pattern.compile("(?s)```java\n(.*?)```")
                .matcher(page)
                .results()
                .map(r -> r.group(1))
                .toList();
    }

    /// A job of one of the programs, with `more` behind it on the class path.
    static Command job(Way way, int ranks, List<String> options, List<String> more, String... program)
            throws Exception {
        way.require();
        List<String> path = new ArrayList<>(dropIn());
        path.add(compiled().toString());
        path.addAll(more);
        List<String> words = way.run(ranks);
        words.addAll(List.of("--jvm", Command.RANKS_FLAG));
        words.addAll(options);
        words.addAll(List.of("-cp", String.join(File.pathSeparator, path)));
        words.addAll(List.of(program));
        return Command.launcher(List.of("--enable-native-access=ALL-UNNAMED"), words);
    }

    static Ended run(Way way, int ranks, String... program) throws Exception {
        return job(way, ranks, List.of(), List.of(), program).run();
    }
}
