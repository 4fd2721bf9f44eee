package org.tutti.launch.artifact;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/// The Maven repositories of this user: the local repository, and remote repositories with the mirrors, proxies
/// and passwords of `~/.m2/settings.xml`.
public interface Repositories {
    /// Returns the files of the artifacts and of all dependencies, in class path order. Downloads files that are
    /// missing in the local repository.
    ///
    /// @param from replaces all other remote repositories; empty for Maven Central and the repositories of the
    ///     settings
    /// @param onDownload receives the URL of the repository before the first download
    /// @throws IOException if an artifact cannot be found or downloaded; the message contains the reason
    List<Path> resolve(List<MavenCoordinates> artifacts, List<MavenRepository> from, Consumer<String> onDownload)
            throws IOException;

    /// Downloads one artifact into a file, or copies it from the local repository. If the file contains the
    /// beginning of the artifact and the server supports this, downloads only the rest. Never replaces the file
    /// by a new file of the same name, because the caller may hold a lock on it.
    ///
    /// @param received receives the number of bytes that the file contains, repeatedly during a download
    /// @throws IOException if the artifact cannot be found or downloaded; the received data remains in the file
    void download(MavenCoordinates artifact, Path file, LongConsumer received) throws IOException;
}
