package org.tutti.launch.library;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The files of an mpirun of Open MPI up to 4.1, and of the ranks, on one machine. The files remain when mpirun
/// is killed, or receives two signals within five seconds, for example Ctrl-C in the terminal and then the
/// launcher's SIGTERM.
///
///     TMPDIR/ompi.HOST.UID/pid.PID/contact.txt       JOB.0;ADDRESSES, in decimal; PID is mpirun's
///     /dev/shm/vader_segment.HOST.UID.JOB.RANK       in hexadecimal, with the upper 16 bits of JOB
final class OpenMpiSession {
    private static final String SEGMENT = "vader_segment.", OWNER = "unix:uid";
    private static final int FAMILY_BITS = 16;
    private static final int HEX = 16;

    private final Path temporary;
    private final Path sharedMemory;

    OpenMpiSession(Path temporary, Path sharedMemory) {
        this.temporary = temporary;
        this.sharedMemory = sharedMemory;
    }

    /// Returns the session of an mpirun with this environment.
    static OpenMpiSession of(Map<String, String> environment) {
        String temporary = "/tmp";
        for (String name : new String[] {"TMP", "TEMP", "TMPDIR"})
            temporary = environment.getOrDefault(name, temporary);
        return new OpenMpiSession(Path.of(temporary), Path.of("/dev/shm"));
    }

    /// Shell code that runs in the shell around a rank, after the rank has ended. The parent of the shell is
    /// mpirun, or a daemon of mpirun on a remote machine. The code removes the files only if the parent has
    /// ended; otherwise the parent removes the files.
    static final String SWEEP = "case $OMPI_MCA_orte_jobfam_session_dir in */ompi.*/*)"
            + " if [ -e /proc/$$/exe ] && ! [ -e /proc/$PPID/exe ]; then"
            + " rm -f /dev/shm/" + SEGMENT + "*.$(id -u).$(printf %x \"$PMIX_NAMESPACE\")"
            + ".\"$OMPI_COMM_WORLD_LOCAL_RANK\";"
            + " rm -rf \"$OMPI_MCA_orte_jobfam_session_dir\"; fi;; esac; ";

    /// Removes the files of the mpirun with this pid and of the ranks, which have ended. Files that are still
    /// mapped are not removed, because they belong to a different job.
    void sweep(long pid) {
        if (ProcessHandle.of(pid).isPresent()) return;
        String[] sessions = temporary.toFile().list();
        if (sessions == null) return;
        for (String session : sessions) {
            if (!session.startsWith("ompi.")) continue;
            Path ofHost = temporary.resolve(session), directory = ofHost.resolve("pid." + pid);
            try {
                if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS) || !isMine(directory)) continue;
                long job = job(directory.resolve("contact.txt"));
                if (job >= 0) sweepSegments(job >> FAMILY_BITS);
                delete(directory);
                ofHost.toFile().delete(); // fails if not empty
            } catch (IOException e) {
                // already removed
            }
        }
    }

    static boolean isMine(Path file) throws IOException {
        Object me = Files.getAttribute(Path.of("/proc/self"), OWNER);
        return Files.getAttribute(file, OWNER, LinkOption.NOFOLLOW_LINKS).equals(me);
    }

    /// Returns -1 if unknown.
    private static long job(Path contact) throws IOException {
        if (!Files.isRegularFile(contact)) return -1;
        String text = Files.readString(contact);
        return parse(text.substring(0, Math.max(0, text.indexOf('.'))), 10);
    }

    private static long parse(String digits, int radix) {
        try {
            return Long.parseLong(digits, radix);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    private void sweepSegments(long family) throws IOException {
        String[] names = sharedMemory.toFile().list((in, name) -> name.startsWith(SEGMENT));
        if (names == null) return;
        List<Path> ours = new ArrayList<>();
        for (String name : names) {
            String[] part = name.split("\\."); // the host may have dots, too
            Path file = sharedMemory.resolve(name);
            boolean ofFamily = part.length > 3 && parse(part[part.length - 2], HEX) >> FAMILY_BITS == family;
            if (ofFamily && isMine(file)) ours.add(file);
        }
        if (ours.isEmpty()) return;
        String mapped = mapped(SEGMENT);
        if (mapped == null) return;
        for (Path file : ours) if (!mapped.contains(file.toString())) Files.deleteIfExists(file);
    }

    /// Returns the lines of all processes' mappings that contain `name`; null if /proc cannot be read.
    static @Nullable String mapped(String name) {
        File[] processes = new File("/proc").listFiles((in, pid) -> Character.isDigit(pid.charAt(0)));
        if (processes == null) return null;
        StringBuilder all = new StringBuilder();
        for (File process : processes) {
            try (Stream<String> lines = Files.lines(process.toPath().resolve("maps"), StandardCharsets.ISO_8859_1)) {
                lines.filter(line -> line.contains(name))
                        .forEach(line -> all.append(line).append('\n'));
            } catch (IOException | UncheckedIOException e) {
                // the process has ended, or a different user owns it; that user cannot open these files
            }
        }
        return all.toString();
    }

    private static void delete(Path directory) throws IOException {
        List<Path> all;
        try (Stream<Path> files = Files.walk(directory)) {
            all = files.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path file : all) Files.deleteIfExists(file);
    }
}
