package org.tutti.launch.place;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.Host;
import org.tutti.launch.JobText;
import org.tutti.launch.UsageException;
import org.tutti.launch.machine.HostResources;

/// The hosts that the user specified, with the number of slots of each.
///
/// @param text the option's value as specified
public record Hosts(String text, List<Entry> entries) {
    private static final int MOST = 1 << 20;
    private static final String LOOPBACK = "::1";

    /// A host. A host that was specified several times has several entries.
    public record Entry(String name, int slots) {}

    /// Parses `localhost:4,node7:2,node8`: as in mpirun, a host without a number has one slot.
    public static Hosts of(String list) {
        String text = "-H " + list;
        List<Entry> entries = new ArrayList<>();
        for (String item : list.split(",", -1)) {
            int colon = colon(item, text);
            String name = name(colon < 0 ? item : item.substring(0, colon), text);
            entries.add(new Entry(name, colon < 0 ? 1 : slots(item.substring(colon + 1), name, text)));
        }
        return new Hosts(text, List.copyOf(entries));
    }

    /// Parses lines such as `localhost slots=4` (Open MPI) or `localhost:4` (MPICH). Without a number, this
    /// machine has one slot per core; for other machines a number is required, because the number of cores is
    /// unknown here and the libraries use different defaults.
    public static Hosts ofFile(Path file) {
        List<Entry> entries = new ArrayList<>();
        int number = 0;
        for (String line : lines("--hostfile", file)) {
            number++;
            String text = withoutComment(line);
            if (!text.isEmpty()) entries.add(entry(text, "--hostfile " + file + ", line " + number));
        }
        if (entries.isEmpty()) {
            throw new UsageException("--hostfile " + file + " names no host; write localhost slots=4");
        }
        return new Hosts("--hostfile " + file, List.copyOf(entries));
    }

    private static Entry entry(String line, String where) {
        String[] fields = line.split("\\s+");
        int colon = colon(fields[0], where);
        String name = name(colon < 0 ? fields[0] : fields[0].substring(0, colon), where);
        int slots = colon < 0 ? 0 : slots(fields[0].substring(colon + 1), name, where);
        for (int i = 1; i < fields.length; i++) {
            if (fields[i].startsWith("slots=")) slots = slots(fields[i].substring("slots=".length()), name, where);
            else if (!fields[i].startsWith("max_slots=") && !fields[i].startsWith("max-slots=")) {
                throw new UsageException(where + ": " + fields[i] + ": lines look like localhost slots=4");
            }
        }
        if (slots == 0 && isHere(name)) slots = HostResources.cores();
        if (slots > 0) return new Entry(name, slots);
        throw new UsageException(
                where + ": the number of slots of " + name + " is missing; write " + name + " slots=4");
    }

    /// Returns the position of the colon before the slots, or -1. Open MPI's mpirun and hydra interpret
    /// everything after the first colon as slots, so an IPv6 address other than `::1` cannot denote a host.
    private static int colon(String host, String where) {
        if (host.equals(LOOPBACK)) return -1;
        int last = host.lastIndexOf(':');
        if (host.startsWith(LOOPBACK + ":") && last == LOOPBACK.length()) return last;
        if (host.indexOf(':') == last) return last;
        throw new UsageException(where + ": " + host
                + " is an IPv6 address, which no launcher accepts in a list of hosts;" + " give the host's name");
    }

    private static int slots(String text, String name, String where) {
        try {
            if (text.equals("*") && isHere(name)) return HostResources.cores();
            int slots = Integer.parseInt(text);
            if (slots > 0 && slots <= MOST) return slots;
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new UsageException(where + ": slots are a whole number from 1, as in -H " + name + ":4, not " + text);
    }

    /// Returns `text` if it is a host name that is safe in a launcher's command line. Rejects other texts, for
    /// example an option, several arguments or several hosts.
    static String name(String text, String where) {
        if (text.isBlank()) throw new UsageException(where + ": a host's name is missing, as in -H localhost:4");
        boolean fine = Character.isLetterOrDigit(text.charAt(0));
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            fine &= Character.isLetterOrDigit(c) || ".-_".indexOf(c) >= 0;
        }
        if (fine || text.equals(LOOPBACK)) return text;
        throw new UsageException(
                where + ": " + text + " is not a host name; hosts look like localhost, node7 or 10.0.0.7");
    }

    static boolean isHere(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (lower.equals("localhost") || lower.equals("127.0.0.1") || lower.equals(LOOPBACK)) return true;
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
                    + (Files.exists(file) ? " cannot be read: " + JobText.reason(e) : ": the file does not exist"));
        }
    }

    static String withoutComment(String line) {
        int hash = line.indexOf('#');
        return (hash < 0 ? line : line.substring(0, hash)).strip();
    }

    /// Returns whether a remote machine is included.
    public boolean elsewhere() {
        for (Entry entry : entries) if (!isHere(entry.name)) return true;
        return false;
    }

    /// Returns the total number of slots, which is the maximum number of ranks without `--oversubscribe`.
    public int slots() {
        int slots = 0;
        for (Entry entry : entries) slots += entry.slots;
        return slots;
    }

    /// Returns the maximum number of ranks that a single host may get, in a job of `ranks` ranks. Slots are
    /// filled in order; when all are full, a further round begins.
    public int mostOnOne(int ranks) {
        int most = 0;
        for (Entry host : entries) {
            int slots = 0;
            for (Entry entry : entries) if (entry.name.equals(host.name)) slots += entry.slots;
            most = Math.max(most, slots);
        }
        int rounds = Math.max(1, Math.ceilDiv(ranks, slots()));
        return Math.min(ranks, most * rounds);
    }

    /// Returns `a:2,b:2`, the format of the native launchers.
    public String list() {
        StringBuilder list = new StringBuilder();
        for (Entry entry : entries) {
            if (list.length() > 0) list.append(',');
            list.append(entry.name).append(':').append(entry.slots);
        }
        return list.toString();
    }

    /// Returns the names of the hosts if hydra can place ranks round-robin: all hosts have the same number of
    /// slots, and each is listed once. Otherwise null. (If a host is listed twice, hydra uses rank numbers
    /// twice.)
    @Nullable
    public String inTurn() {
        StringBuilder names = new StringBuilder();
        Set<String> seen = new HashSet<>();
        for (Entry entry : entries) {
            if (entry.slots != entries.getFirst().slots || !seen.add(entry.name)) return null;
            if (seen.size() > 1) names.append(',');
            names.append(entry.name);
        }
        return names.toString();
    }

    /// Returns the host of each of `ranks` ranks: `a,a,b`.
    public String eachRank(int ranks) {
        StringBuilder list = new StringBuilder();
        for (int rank = 0; rank < ranks; ) {
            for (Entry entry : entries) {
                for (int slot = 0; slot < entry.slots && rank < ranks; slot++, rank++) {
                    if (rank > 0) list.append(',');
                    list.append(entry.name);
                }
            }
        }
        return list.toString();
    }

    /// Returns the number of different hosts on which `ranks` ranks run.
    public int used(int ranks) {
        return Set.copyOf(List.of(eachRank(ranks).split(","))).size();
    }

    /// @throws UsageException if there are more ranks than slots
    public void require(int ranks) {
        int slots = slots();
        if (ranks <= slots) return;
        throw new UsageException("-n " + ranks + ": " + text + (slots == 1 ? " is 1 slot" : " are " + slots + " slots")
                + "; start fewer ranks, give more slots (" + entries.getFirst().name + ":"
                + (entries.getFirst().slots + ranks - slots) + "), or add --oversubscribe");
    }
}
