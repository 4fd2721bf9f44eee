package org.tutti.launch.program;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.machine.JavaCommand;

/// A program that ranks can run.
public sealed interface Program {
    /// Returns the user's specification.
    ProgramSpec spec();

    /// Returns the files that the program needs on every machine.
    List<String> files();

    /// @param mainClass the binary name
    record OfJava(ProgramSpec spec, String mainClass, ProgramClasses classes) implements Program {
        @Override
        public List<String> files() {
            List<String> files = new ArrayList<>(List.of(JavaCommand.path()));
            files.add(Jars.ofRanks().all().getFirst()); // the other jars are in the same directory
            for (String entry : classes.classPath().split(File.pathSeparator))
                if (new File(entry).exists()) files.add(entry);
            return files;
        }
    }

    /// A program started by a running Java program.
    ///
    /// @param entry the start method in the format of [MainMethod#name]
    /// @param classes all classes, including Tutti's
    /// @param env environment variables of these ranks only
    /// @param wdir the absolute working directory; null for the launcher's
    record Spawned(
            ProgramSpec spec,
            String entry,
            ProgramClasses classes,
            Map<String, String> env,
            @Nullable Path wdir) implements Program {
        @Override
        public List<String> files() {
            return List.of(); // runs on this machine
        }
    }

    /// A program in a different language, which uses a different MPI binding.
    ///
    /// @param file absolute
    /// @param interpreter the command that runs the file; empty for an executable file
    record Other(ProgramSpec spec, List<String> interpreter, String file) implements Program {
        @Override
        public List<String> files() {
            return List.of(file);
        }
    }
}
