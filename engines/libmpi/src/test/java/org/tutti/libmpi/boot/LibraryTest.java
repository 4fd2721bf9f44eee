package org.tutti.libmpi.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.libmpi.JavaProcess;

@Tag("ci")
class LibraryTest {
    /// Plugins of Open MPI before 5 use symbols of a library to which they are not linked; since 5, these
    /// plugins are part of the library. Only libraries with such plugins are promoted to the global scope.
    @Test
    void onlyOpenMpiBefore5IsPromotedToTheGlobalScope() throws Exception {
        String openMpi = loads("openmpi");
        assertThat(openMpi).startsWith((openMpi.contains(" Open MPI v4.") ? "global" : "local") + " Open MPI v");
        assertThat(loads("mpich")).startsWith("local MPICH");
    }

    @Test
    void aLibraryReturnsItsFile() throws Exception {
        assertThat(loads("openmpi")).matches(".* /\\S*/libmpi\\S*");
        assertThat(loads("mpich")).matches(".* /\\S*/libmpi\\S*");
    }

    @Test
    void reportsTheLoadersReasonForEachInvalidFile(@TempDir Path directory) throws Exception {
        assumeTrue(System.getProperty("os.name").equals("Linux"), "skipped, because the messages differ from glibc's");
        Path real = Path.of(System.getProperty("java.home"), "lib", "libjsig.so");
        byte[] library = Files.readAllBytes(real);

        Path text =
                Files.writeString(directory.resolve("text.so"), "this is no library, but it is long enough".repeat(9));
        refused(text, ": invalid ELF header");

        byte[] half = library.clone();
        half[4] = 1; // EI_CLASS: 32 bits
        refused(Files.write(directory.resolve("half.so"), half), ": wrong ELF class: ELFCLASS32");

        String needy = new String(library, StandardCharsets.ISO_8859_1).replace("\0libc.so.6\0", "\0libq.so.6\0");
        Path orphan = Files.writeString(directory.resolve("orphan.so"), needy, StandardCharsets.ISO_8859_1);
        refused(orphan, ": libq.so.6: cannot open shared object file: No such file or directory");

        refused(real, ": loaded, but has no MPI_Init_thread");
        refused(directory.resolve("none.so"), ": cannot open shared object file: No such file or directory");
    }

    private static void refused(Path library, String why) throws Exception {
        assertThat(outputOf(library.toString()))
                .contains("init: no MPI library could be loaded for '" + library + "'; tried\n  " + library + why)
                .contains("TUTTI_LIBMPI=/path/to/libmpi.so")
                .doesNotContain("VM warning");
    }

    private static String loads(String library) throws Exception {
        String output = outputOf(library);
        assumeFalse(output.contains("no MPI library could be loaded"), "skipped, because there is no " + library);
        return output;
    }

    private static String outputOf(String library) throws Exception {
        return JavaProcess.run(Map.of(RankEnvironment.LIBMPI, library), List.of(Loads.class.getName()));
    }
}
