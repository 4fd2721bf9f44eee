package org.tutti.launch.program;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.machine.JavaCommand;

/// Something that ranks can run.
public sealed interface Program {
    /// What the user said of it.
    ProgramSpec spec();

    /// What it needs on every machine.
    List<String> files();

    /// @param mainClass its binary name
    /// @param classPath absolute entries
    record OfJava(ProgramSpec spec, String mainClass, String classPath) implements Program {
        @Override
        public List<String> files() {
            List<String> files = new ArrayList<>(List.of(JavaCommand.path()));
            files.add(Jars.ofRanks().all().getFirst()); // the others lie beside it
            for (String entry : classPath.split(File.pathSeparator)) if (new File(entry).exists()) files.add(entry);
            return files;
        }
    }

    /// What a running Java program starts.
    ///
    /// @param entry as [MainMethod#name] says it
    /// @param classPath all of it, Tutti included
    /// @param env what its ranks alone find in their environment
    /// @param wdir their working directory, absolute; null for the launcher's
    record Spawned(
            ProgramSpec spec,
            String entry,
            String classPath,
            Map<String, String> env,
            @Nullable Path wdir) implements Program {
        @Override
        public List<String> files() {
            return List.of(); // it runs on this machine
        }
    }

    /// A program in another language, which brings an MPI binding of its own.
    ///
    /// @param file absolute
    /// @param interpreter what runs it; empty if it runs by itself
    record Other(ProgramSpec spec, List<String> interpreter, String file) implements Program {
        @Override
        public List<String> files() {
            return List.of(file);
        }
    }
}
