package org.tutti.launch.watch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.CacheDir;

/// A text report about a job, in sections.
final class JobReport {
    /// The number of reports retained in the user's directory; with `--output-dir`, reports are not deleted.
    private static final int KEPT = 20;

    private final StringBuilder text = new StringBuilder();

    JobReport(String title) {
        text.append(title).append('\n');
    }

    JobReport section(String title, List<String> lines) {
        return section(title, String.join("\n", lines));
    }

    JobReport section(String title, String body) {
        text.append("\n== ").append(title).append(" ==\n").append(body);
        if (!body.endsWith("\n")) text.append('\n');
        return this;
    }

    String text() {
        return text.toString();
    }

    /// Writes the report of this launcher's job, which replaces an earlier report of the same job.
    ///
    /// @param outputDir the directory that the user has specified; null for the default directory of the user
    /// @throws IOException if the report cannot be written
    Path write(@Nullable Path outputDir) throws IOException {
        Path directory = outputDir == null ? ownDirectory() : outputDir.toAbsolutePath();
        Path file = directory.resolve("job-" + ProcessHandle.current().pid() + ".txt");
        CacheDir.write(file, text().getBytes(StandardCharsets.UTF_8));
        if (outputDir == null) CacheDir.prune(directory, KEPT);
        return file;
    }

    private static Path ownDirectory() throws IOException {
        Path directory = CacheDir.open("reports");
        if (directory == null) throw new IOException("there is no directory for it; give one by --output-dir");
        return directory;
    }
}
