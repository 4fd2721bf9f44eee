package org.tutti.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.tutti.mpi.bootstrap.Host;

/// How many ranks the user has room for on each host; there is only this one yet.
///
/// @param words what the user said
/// @param slots how many ranks there may be
record Hosts(String words, int slots) {
    private static final int MOST = 1 << 20;

    /// `localhost:4,localhost`: a host without a number is one slot, as mpirun counts.
    static Hosts of(String list) {
        String words = "-H " + list;
        int slots = 0;
        for (String item : list.split(",", -1)) {
            int colon = colon(item);
            String name = colon < 0 ? item : item.substring(0, colon);
            requireThisOne(name, words);
            slots += colon < 0 ? 1 : slots(item.substring(colon + 1), words);
        }
        return new Hosts(words, slots);
    }

    /// Lines `localhost slots=4` (Open MPI's) or `localhost:4` (MPICH's); a host without a number has a
    /// slot per core.
    static Hosts ofFile(Path file) {
        int slots = 0;
        int number = 0;
        for (String line : lines("--hostfile", file)) {
            number++;
            String text = withoutComment(line);
            if (text.isEmpty()) continue;
            String where = "--hostfile " + file + ", line " + number;
            String[] fields = text.split("\\s+");
            int colon = colon(fields[0]);
            requireThisOne(colon < 0 ? fields[0] : fields[0].substring(0, colon), where);
            int here = colon < 0 ? Machine.cores() : slots(fields[0].substring(colon + 1), where);
            for (int i = 1; i < fields.length; i++) {
                if (fields[i].startsWith("slots=")) here = slots(fields[i].substring("slots=".length()), where);
                else if (!fields[i].startsWith("max_slots=") && !fields[i].startsWith("max-slots=")) {
                    throw new UsageException(where + ": " + fields[i] + ": lines look like localhost slots=4");
                }
            }
            slots += here;
        }
        if (slots == 0) throw new UsageException("--hostfile " + file + " names no host; write localhost slots=4");
        return new Hosts("--hostfile " + file, slots);
    }

    private static int colon(String host) {
        return host.equals("::1") ? -1 : host.lastIndexOf(':');
    }

    private static int slots(String text, String where) {
        try {
            if (text.equals("*")) return Machine.cores();
            int slots = Integer.parseInt(text);
            if (slots > 0 && slots <= MOST) return slots;
        } catch (NumberFormatException e) {
            // said below
        }
        throw new UsageException(where + ": slots are a whole number from 1, as in -H localhost:4, not " + text);
    }

    static void requireThisOne(String name, String where) {
        if (isThisOne(name)) return;
        if (name.isBlank()) throw new UsageException(where + ": a host's name is missing, as in -H localhost:4");
        throw new UsageException(where + ": " + name + " is not this machine (" + Host.name()
                + "); several hosts come with the libmpi engine, not there yet");
    }

    private static boolean isThisOne(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (lower.equals("localhost") || lower.equals("127.0.0.1") || lower.equals("::1")) return true;
        String own = Host.name().toLowerCase(Locale.ROOT);
        return lower.equals(own) || lower.equals(first(own)) || first(lower).equals(own);
    }

    private static String first(String name) {
        int dot = name.indexOf('.');
        return dot < 0 ? name : name.substring(0, dot);
    }

    /// @throws UsageException if it cannot be read
    static Iterable<String> lines(String option, Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UsageException(option + " " + file
                    + (Files.exists(file) ? " cannot be read: " + e.getMessage() : ": there is no such file"));
        }
    }

    static String withoutComment(String line) {
        int hash = line.indexOf('#');
        return (hash < 0 ? line : line.substring(0, hash)).strip();
    }

    /// @throws UsageException if there are more ranks than slots
    void require(int ranks) {
        if (ranks <= slots) return;
        throw new UsageException("-n " + ranks + ": " + words + (slots == 1 ? " is 1 slot" : " are " + slots + " slots")
                + "; start fewer ranks, give more slots (localhost:" + ranks + "), or add --oversubscribe");
    }
}
