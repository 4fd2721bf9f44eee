package org.tutti.launch.program;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tutti.launch.JobText;
import org.tutti.launch.UsageException;
import org.tutti.launch.artifact.ResolverJars;
import org.tutti.launch.artifact.SourceDirectives;

/// Returns the jars of the libraries that a source file declares with `//DEPS`, and reports directives that have
/// no effect. Called only when the source file is compiled.
@FunctionalInterface
interface DeclaredLibraries {
    /// Returns no jars, because the libraries are on the class path of this JVM, which has loaded the program.
    DeclaredLibraries PRESENT = (directives, source) -> List.of();

    /// Downloads the libraries that the local repository of Maven does not contain.
    DeclaredLibraries DOWNLOADED = (directives, source) -> {
        String file = source.getFileName().toString();
        if (!directives.ignored().isEmpty()) {
            System.err.println(
                    "tutti: note: " + file + ": no effect in tutti run: " + String.join(", ", directives.ignored()));
        }
        if (directives.dependencies().isEmpty()) return List.of();
        List<String> jars = new ArrayList<>();
        try {
            for (Path jar : ResolverJars.open(file + ": //DEPS")
                    .resolve(
                            directives.dependencies(),
                            directives.repositories(),
                            from -> System.err.println(
                                    "tutti: downloading the libraries of " + file + ", once, from " + from))) {
                jars.add(jar.toString());
            }
        } catch (IOException e) {
            throw new UsageException(file + ": //DEPS: " + JobText.reason(e));
        }
        return jars;
    };

    /// @param source the file that was specified, for messages
    /// @throws UsageException if a library cannot be found or downloaded
    List<String> of(SourceDirectives directives, Path source);
}
