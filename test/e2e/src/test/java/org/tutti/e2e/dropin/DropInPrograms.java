package org.tutti.e2e.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Way;

/// The programs for one API, in `src/test`. They are compiled once against stubs, and run with the drop-in
/// first on the class path.
enum DropInPrograms {
    OPENMPI("openmpi", "tutti-compat-openmpi", "openmpi-java.tsv", "OpenMpi"),
    MPJ("mpj", "tutti-compat-mpj", "mpi/mpj-express.tsv", "Mpj");

    private final String folder;
    private final String module;
    private final Path table;

    /// The prefix of the program names.
    final String prefix;

    private Path compiled;

    DropInPrograms(String folder, String module, String table, String prefix) {
        this.folder = folder;
        this.module = module;
        this.table = Checkout.module(module).resolve("src/test/resources").resolve(table);
        this.prefix = prefix;
    }

    /// Returns the directory of the compiled programs.
    synchronized Path compiled() throws Exception {
        if (compiled == null) {
            Path where = Checkout.scratch(folder);
            Path stubs = where.resolve("stubs");
            compile(stubs, "", DropInStubs.write(table, where.resolve("src")));
            try (Stream<Path> files = Files.list(Checkout.module("tutti-e2e").resolve("src/test/" + folder))) {
                String path = stubs + File.pathSeparator + Checkout.classPathText(); // for org.tutti.mpi
                compile(where.resolve("classes"), path, files.toList());
            }
            compiled = where.resolve("classes");
        }
        return compiled;
    }

    static void compile(Path into, String classPath, List<Path> files) throws Exception {
        List<String> javac = new ArrayList<>(List.of(
                Path.of(Checkout.java()).resolveSibling("javac").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-proc:none",
                "-cp",
                classPath,
                "-d",
                into.toString()));
        files.forEach(f -> javac.add(f.toString()));
        ProcessOutcome ended = Command.of(javac).run();
        assertThat(ended.code()).as("%s", ended).isZero();
    }

    /// Returns the directory of the compiled stubs.
    Path stubs() throws Exception {
        return compiled().resolveSibling("stubs");
    }

    Path source(String program) {
        return Checkout.module("tutti-e2e").resolve("src/test/" + folder + "/" + program + ".java");
    }

    /// Returns the directories of the compiled drop-in.
    List<String> dropIn() {
        return List.of(Checkout.classes(module).toString());
    }

    /// Returns a job that runs one program, with `more` at the end of the class path.
    Command job(Way way, int ranks, List<String> options, List<String> more, String... program) throws Exception {
        way.require();
        List<String> path = new ArrayList<>(dropIn());
        path.add(compiled().toString());
        path.addAll(more);
        List<String> arguments = way.run(ranks);
        arguments.addAll(List.of("--jvm", Command.RANKS_FLAG));
        arguments.addAll(options);
        arguments.addAll(List.of("-cp", String.join(File.pathSeparator, path)));
        arguments.addAll(List.of(program));
        return Command.launcher(List.of("--enable-native-access=ALL-UNNAMED"), arguments);
    }

    ProcessOutcome run(Way way, int ranks, String... program) throws Exception {
        return job(way, ranks, List.of(), List.of(), program).run();
    }
}
