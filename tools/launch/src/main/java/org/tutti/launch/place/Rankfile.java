package org.tutti.launch.place;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.job.cpu.CpuLevel;
import org.tutti.job.cpu.CpuList;
import org.tutti.job.cpu.CpuTopology;
import org.tutti.launch.UsageException;

/// Open MPI's rankfile, which specifies the cores of each rank.
///
///     rank 0=localhost slot=0            a core
///     rank 1=localhost slot=1-2,5        some cores
///     rank 2=localhost slot=1:0-1        cores 0 and 1 of socket 1; several such parts are separated by `;`
///     rank 3=localhost slot=0:*          a socket
///
/// With `--bind-to hwthread` the numbers are hardware threads instead of cores.
public final class Rankfile {
    private static final String EXAMPLE = ": lines look like rank 0=localhost slot=0-1";

    /// @param line the line number
    private record Entry(int line, String host, String slot) {}

    private final Path file;
    private final TreeMap<Integer, Entry> entries = new TreeMap<>();

    private Rankfile(Path file) {
        this.file = file;
    }

    /// @throws UsageException if a line is invalid
    public static Rankfile read(Path file) {
        Rankfile read = new Rankfile(file);
        int number = 0;
        for (String line : Hosts.lines("--rankfile", file)) {
            number++;
            String text = Hosts.withoutComment(line);
            if (!text.isEmpty()) read.add(number, text);
        }
        if (read.entries.isEmpty()) throw new UsageException("--rankfile " + file + " names no rank" + EXAMPLE);
        return read;
    }

    private void add(int line, String text) {
        int equals = text.indexOf('=');
        int slot = text.indexOf("slot");
        int slotEquals = text.indexOf('=', Math.max(0, slot));
        BitSet rank = text.startsWith("rank") && equals > 0 ? CpuList.parse(text.substring(4, equals)) : null;
        if (rank == null || rank.cardinality() != 1 || slot < equals || slotEquals < 0) {
            throw new UsageException(where(line) + ": " + text + EXAMPLE);
        }
        String host = Hosts.name(text.substring(equals + 1, slot).strip(), where(line));
        int number = rank.nextSetBit(0);
        Entry entry = new Entry(line, host, text.substring(slotEquals + 1).strip());
        if (entries.putIfAbsent(number, entry) != null) {
            throw new UsageException(where(line) + ": rank " + number + " has a line already");
        }
    }

    private String where(int line) {
        return "--rankfile " + file + ", line " + line;
    }

    /// Returns the highest rank in the file, plus 1.
    int size() {
        return entries.lastKey() + 1;
    }

    /// Returns the hosts in the file, with a slot for each of the ranks.
    public Hosts hosts() {
        Map<String, Integer> slots = new LinkedHashMap<>();
        for (Entry entry : entries.values()) slots.merge(entry.host, 1, Integer::sum);
        List<Hosts.Entry> hosts = new ArrayList<>();
        slots.forEach((name, count) -> hosts.add(new Hosts.Entry(name, count)));
        return new Hosts("--rankfile " + file, List.copyOf(hosts));
    }

    /// @throws UsageException unless the file has exactly one line for each of `ranks` ranks
    public void require(int ranks) {
        for (int rank = 0; rank < ranks; rank++) {
            if (!entries.containsKey(rank)) {
                throw new UsageException("--rankfile " + file + " has no line for rank " + rank + " of " + ranks);
            }
        }
        if (size() > ranks) {
            throw new UsageException(where(entries.lastEntry().getValue().line) + " is for rank " + (size() - 1)
                    + ", but -n " + ranks + " starts ranks 0 to " + (ranks - 1));
        }
    }

    /// Returns the numbers of the cores, or hardware threads, of `rank`.
    BitSet slots(int rank, CpuTopology topology, CpuLevel unit) {
        Entry entry = entries.get(rank);
        if (entry == null) throw new IllegalArgumentException("rank " + rank);
        BitSet slots = new BitSet();
        for (String item : entry.slot.split(";", -1)) {
            int colon = item.indexOf(':');
            if (colon < 0) slots.or(numbers(entry, item, topology.of(unit).size(), unit));
            else slots.or(inSocket(entry, item, colon, topology, unit));
        }
        return slots;
    }

    private BitSet inSocket(Entry entry, String item, int colon, CpuTopology topology, CpuLevel unit) {
        BitSet slots = new BitSet();
        BitSet sockets = numbers(
                entry, item.substring(0, colon), topology.of(CpuLevel.SOCKET).size(), CpuLevel.SOCKET);
        for (int s = sockets.nextSetBit(0); s >= 0; s = sockets.nextSetBit(s + 1)) {
            int[] inside = topology.inside(unit, topology.of(CpuLevel.SOCKET).get(s)).stream()
                    .toArray();
            BitSet chosen = numbers(entry, item.substring(colon + 1), inside.length, unit);
            chosen.stream().forEach(n -> slots.set(inside[n]));
        }
        return slots;
    }

    private BitSet numbers(Entry entry, String text, int count, CpuLevel level) {
        BitSet all = new BitSet();
        all.set(0, count);
        BitSet numbers = text.strip().equals("*") ? all : CpuList.parse(text);
        String why = why(numbers, all, level);
        if (numbers == null || why != null) {
            throw new UsageException(where(entry.line) + ": slot=" + entry.slot + ": " + why);
        }
        return numbers;
    }

    private static @Nullable String why(@Nullable BitSet numbers, BitSet all, CpuLevel level) {
        if (numbers == null) return "slots are numbers, as in slot=0, slot=0-1,4 or, of a socket, slot=0:1";
        if (numbers.length() <= all.length()) return null;
        return "there is no " + level.word() + " " + (numbers.length() - 1) + " here, but " + level.word()
                + (all.length() == 1 ? " " : "s ") + CpuList.of(all);
    }
}
