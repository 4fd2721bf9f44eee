package org.tutti.libmpi.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.tutti.mpi.bootstrap.Place;

class LibraryTest {
    /// Plugins of Open MPI before 5 use symbols of a library that they do not name; from 5 on they are
    /// part of it, and nothing is promoted without need.
    @Test
    void openMpiBefore5IsPromotedToTheGlobalScopeAndOthersAreNot() throws Exception {
        String openMpi = loads("openmpi");
        assertThat(openMpi).startsWith((openMpi.contains(" Open MPI v4.") ? "global" : "local") + " Open MPI v");
        assertThat(loads("mpich")).startsWith("local MPICH");
    }

    @Test
    void aLibraryKnowsTheFileItWasLoadedFrom() throws Exception {
        assertThat(loads("openmpi")).matches(".* /\\S*/libmpi\\S*");
        assertThat(loads("mpich")).matches(".* /\\S*/libmpi\\S*");
    }

    private static String loads(String library) throws Exception {
        String classPath = Stream.of(Loads.class, Library.class, Place.class)
                .map(LibraryTest::location)
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        classPath,
                        Loads.class.getName())
                .redirectErrorStream(true);
        builder.environment().put(Place.LIBMPI, library);
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        process.waitFor();
        assumeFalse(said.contains("no MPI library could be loaded"), "skipped, because there is no " + library);
        return said;
    }

    /// The tests' classes are patched into the engine's module, so its location is not theirs.
    private static String location(Class<?> of) {
        String file = "/" + of.getName().replace('.', '/') + ".class";
        String url = String.valueOf(of.getResource(file));
        String path = url.replaceFirst("^jar:", "").replaceFirst("^file:", "").replaceFirst("!/.*", "");
        return path.endsWith(file) ? path.substring(0, path.length() - file.length()) : path;
    }
}
