package org.tutti.launch.artifact;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/// The Maven repositories of this user: the local repository, and remote repositories with the mirrors, proxies
/// and passwords of `~/.m2/settings.xml`.
public interface Repositories {
    /// Returns the files of the artifacts and of their dependencies, in the order of a class path. Downloads
    /// files that are missing in the local repository.
    ///
    /// @param from the only remote repositories; empty for Maven Central and the repositories of the settings
    /// @param onDownload receives the URL of the repository before the first download
    /// @throws IOException if an artifact cannot be found or downloaded; the message is the repository's
    List<Path> resolve(List<MavenCoordinates> artifacts, List<MavenRepository> from, Consumer<String> onDownload)
            throws IOException;

    /// Downloads one artifact into a file, or copies it from the local repository. Data that the file already
    /// contains is not requested again. The file is never replaced by another file of this name.
    ///
    /// @param received receives the number of bytes that the file contains
    /// @throws IOException if the artifact cannot be found or downloaded; the file keeps the received data
    void download(MavenCoordinates artifact, Path file, LongConsumer received) throws IOException;
}
