package org.tutti.conformance.contract.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.MpiFile;
import org.tutti.mpi.MpiFile.Mode;
import org.tutti.mpi.OwnedComm;

/// A file in a separate folder, which is deleted on close. Errors name the file's communicator `C.file1`.
final class TrialFile implements AutoCloseable {
    private final Trial trial;
    private final Path folder;
    final OwnedComm comm;
    final String path;

    TrialFile(Trial t) {
        trial = t;
        comm = t.world().dup();
        comm.setName("C");
        folder = Path.of(t.world().bcastObject(t.rank() == 0 ? newFolder() : "", 0));
        path = folder.resolve("data").toString();
    }

    private static String newFolder() {
        try {
            return Files.createTempDirectory("tutti-file").toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    MpiFile open(Mode... modes) {
        return MpiFile.open(comm, path, modes);
    }

    /// Returns the end of an error text, for example ` (rank 1 of 4, C.file1)`.
    String at(int number) {
        return " (rank " + trial.rank() + " of " + trial.size() + ", C.file" + number + ")";
    }

    /// Checks the beginning and the end of the text. The host or the system's message is in between.
    static void checkText(MpiException e, String begin, String end) {
        String text = String.valueOf(e.getMessage());
        Check.that(text.startsWith(begin) && text.endsWith(end), text);
    }

    String folder() {
        return folder.toString();
    }

    /// Returns the content of the file after all ranks have written.
    byte[] bytes() {
        trial.world().barrier();
        try {
            byte[] all = Files.readAllBytes(Path.of(path));
            trial.world().barrier();
            return all;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Sets the content of the file before any rank continues.
    void bytes(byte[] all) {
        trial.world().barrier();
        try {
            if (trial.rank() == 0) Files.write(Path.of(path), all);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        trial.world().barrier();
    }

    @Override
    public void close() {
        trial.world().barrier();
        try {
            if (trial.rank() == 0) {
                Files.deleteIfExists(Path.of(path));
                Files.delete(folder);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        comm.close();
    }
}
