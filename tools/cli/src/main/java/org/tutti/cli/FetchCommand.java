package org.tutti.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.UsageException;
import org.tutti.launch.artifact.ResolverJars;
import org.tutti.launch.machine.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `tutti fetch`: downloads the tensor libraries that are too large for the distribution.
@Command(
        name = "fetch",
        description = {
            "Downloads the library of an option --with: torch, torch-cuda or djl. Without a name, lists the libraries.",
            "An interrupted download continues. Mirrors and proxies are those of ~/.m2/settings.xml."
        })
final class FetchCommand implements Callable<Integer> {
    private static final long MIB = 1 << 20;

    @Mixin
    final HelpOption help = new HelpOption();

    @Parameters(
            arity = "0..1",
            paramLabel = "LIBRARY",
            description = "torch, torch-cuda or djl.",
            completionCandidates = LibraryNames.class)
    @Nullable
    String library;

    /// The names of the libraries, for completion.
    static final class LibraryNames extends ArrayList<String> {
        private static final long serialVersionUID = 1;

        LibraryNames() {
            for (Adapter adapter : Adapter.values()) if (adapter.isLibrary()) add(adapter.option);
        }
    }

    @Override
    public Integer call() throws IOException {
        if (library == null) {
            for (Adapter adapter : Adapter.values()) if (adapter.isLibrary()) System.out.println(state(adapter));
            return 0;
        }
        fetch(Adapter.named("fetch", library));
        return 0;
    }

    private static String state(Adapter adapter) {
        String text = String.format("%-12s", adapter.option);
        if (!Installation.isDistribution()) return text + "built and downloaded by --with " + adapter.option;
        LibraryFiles files;
        try {
            files = LibraryFiles.in(adapter.folder());
        } catch (UsageException e) {
            return text + e.getMessage();
        }
        long all = files.bytes(), present = files.bytesPresent();
        String size = text + String.format("%4d MiB  ", (all + MIB / 2) / MIB);
        if (files.isComplete()) return size + "installed";
        return size + (present == 0 ? "not installed" : megabytes(present) + " downloaded");
    }

    static String megabytes(long bytes) {
        return (bytes + MIB / 2) / MIB + " MiB";
    }

    private static void fetch(Adapter adapter) throws IOException {
        String name = "fetch " + adapter.option;
        if (!adapter.isLibrary()) {
            throw new UsageException(name + ": Tutti contains it; --with " + adapter.option + " needs no download");
        }
        if (!Installation.isDistribution()) {
            System.out.println(name + ": the jars are in " + adapter.builtFolder());
            return;
        }
        LibraryFiles files = LibraryFiles.in(adapter.folder());
        if (files.isComplete()) {
            System.out.println(name + ": installed; --with " + adapter.option + " uses it");
            return;
        }
        Path into = files.destination();
        if (into == null) {
            throw new UsageException(name + ": " + adapter.folder()
                    + " and the cache directory cannot be written; set XDG_CACHE_HOME to a directory of this user");
        }
        long present = files.bytesPresent();
        System.out.println(
                name + ": " + files.count() + (files.count() == 1 ? " file, " : " files, ") + megabytes(files.bytes())
                        + ", into " + into + (present == 0 ? "" : "; " + megabytes(present) + " are there already"));
        Progress progress = new Progress(name, files.bytes(), present);
        try {
            files.fetch(ResolverJars.open(name), into, progress);
        } catch (IOException e) {
            throw new IOException(name + ": " + e.getMessage(), e);
        } finally {
            progress.end();
        }
        System.out.println(name + ": complete; --with " + adapter.option + " uses it");
    }

    /// Prints the progress to stderr: on a terminal, updates one line twice per second; otherwise, prints a line
    /// every ten seconds.
    private static final class Progress implements LongConsumer {
        private static final String CLEAR = "\r\033[K";

        private final boolean isTerminal = Terminal.movesCursor(2);
        private final long period = isTerminal ? 500_000_000L : 10_000_000_000L;
        private final long began = System.nanoTime();
        private final String name;
        private final long all, before;
        private long printed = began;

        /// @param before the number of bytes that were present at the start
        Progress(String name, long all, long before) {
            this.name = name;
            this.all = all;
            this.before = before;
        }

        @Override
        public void accept(long bytes) {
            long now = System.nanoTime();
            if (now - printed < period) return;
            printed = now;
            double perSecond = (bytes - before) / ((now - began) / 1e9);
            String line = String.format(
                    "tutti: %s: %d of %s (%d %%), %.1f MiB/s",
                    name, bytes / MIB, megabytes(all), bytes * 100 / all, perSecond / MIB);
            if (isTerminal) System.err.print(CLEAR + line);
            else System.err.println(line);
        }

        void end() {
            if (isTerminal) System.err.print(CLEAR);
        }
    }
}
