package org.tutti.libmpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.mpi.Mpi;
import org.tutti.spi.Fault;

/// A JVM with the tests, the engine and the API, for actions that must not happen in the test JVM, such as
/// loading a library.
public final class JavaProcess {
    private static final int LIMIT_SECONDS = 600;

    private JavaProcess() {}

    /// Returns the output of `main` with these arguments.
    public static String run(Map<String, String> environment, List<String> mainAndArguments) throws Exception {
        String classPath = Stream.of(
                        JavaProcess.class, LibmpiProvider.class, RankEnvironment.class, Fault.class, Mpi.class)
                .map(JavaProcess::location)
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classPath));
        command.addAll(mainAndArguments);
        File output = File.createTempFile("process", ".txt");
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().putAll(environment);
            Process process = builder.redirectOutput(output).start();
            boolean exited = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
            process.destroyForcibly();
            String text = Files.readString(output.toPath()).strip();
            assertThat(exited).as("ended within %s s: %s", LIMIT_SECONDS, text).isTrue();
            return text;
        } finally {
            Files.delete(output.toPath());
        }
    }

    /// Returns the folder or jar that contains the class. The location of the module is not used, because the
    /// tests' classes are patched into the engine's module.
    private static String location(Class<?> of) {
        String file = "/" + of.getName().replace('.', '/') + ".class";
        String url = String.valueOf(of.getResource(file));
        String path = url.replaceFirst("^jar:", "").replaceFirst("^file:", "").replaceFirst("!/.*", "");
        return path.endsWith(file) ? path.substring(0, path.length() - file.length()) : path;
    }
}
