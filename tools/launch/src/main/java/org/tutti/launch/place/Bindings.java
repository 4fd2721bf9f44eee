package org.tutti.launch.place;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.tutti.job.cpu.CpuLevel;
import org.tutti.job.cpu.CpuList;
import org.tutti.job.cpu.CpuTopology;
import org.tutti.launch.UsageException;
import org.tutti.launch.machine.HostResources;

/// The cpus of each rank of a job, and the rank's CPU share. Identical for the two engines, unless the native
/// launcher places the ranks: Tutti selects the cpus, and starts the rank's JVM on these cpus.
@SuppressWarnings("exports") // used only by packages of this module
public final class Bindings {
    private static final String PE = "PE=";

    /// @param name the name for messages: `core 0`
    private record Place(BitSet cpus, String name) {}

    private final int ranks;
    private final BitSet launcher;
    private final List<Place> places; // empty: not bound

    private Bindings(int ranks, BitSet launcher, List<Place> places) {
        this.ranks = ranks;
        this.launcher = launcher;
        this.places = places;
    }

    /// Returns the requested bindings on this machine.
    public static Bindings of(Binding wanted, int ranks) {
        boolean all = wanted.to() == null || wanted.to().equals("none");
        if (all && wanted.map() == null && wanted.cpuSet() == null && wanted.rankfile() == null) {
            return new Bindings(ranks, new BitSet(), List.of());
        }
        BitSet launcher = CpuTopology.allowed(CpuTopology.STATUS);
        if (launcher == null) {
            throw new UsageException("this system does not report the cpus of a process (" + CpuTopology.STATUS
                    + "), so ranks cannot be bound; leave out --bind-to, --map-by, --cpu-set and --rankfile");
        }
        return of(wanted, CpuTopology.read(CpuTopology.SYSTEM, usable(wanted, launcher)), ranks, launcher);
    }

    /// Returns the bindings of ranks placed by a native launcher.
    ///
    /// @param ranks the maximum number of ranks that a single machine may get
    public static Bindings none(int ranks) {
        return new Bindings(ranks, new BitSet(), List.of());
    }

    private static BitSet usable(Binding wanted, BitSet allowed) {
        if (wanted.cpuSet() == null) return allowed;
        String words = "--cpu-set " + wanted.cpuSet() + ": ";
        BitSet cpus = CpuList.parse(wanted.cpuSet());
        if (cpus == null) {
            throw new UsageException(words + "give numbers of cpus and ranges of them, as in --cpu-set 0,2-3");
        }
        BitSet missing = (BitSet) cpus.clone();
        missing.andNot(allowed);
        if (missing.isEmpty()) return cpus;
        throw new UsageException(words + "cpu " + missing.nextSetBit(0) + " is not among the cpus of this job ("
                + CpuList.of(allowed) + ")");
    }

    /// @param launcher the cpus of the launcher
    static Bindings of(Binding wanted, CpuTopology topology, int ranks, BitSet launcher) {
        Mapping map = mapping(wanted.map());
        CpuLevel level = level(wanted, map);
        List<Place> places = new ArrayList<>();
        if (level == null) {
            boolean everywhere = topology.cpus().equals(launcher);
            for (int r = 0; r < ranks && !everywhere; r++) places.add(new Place(topology.cpus(), "the cpu set"));
        } else if (wanted.rankfile() != null) {
            Rankfile file = Rankfile.read(wanted.rankfile());
            for (int r = 0; r < ranks; r++) places.add(place(topology, level, file.slots(r, topology, level)));
        } else {
            deal(places, topology, map, level, ranks);
        }
        Bindings bindings = new Bindings(ranks, launcher, places);
        if (level != null && wanted.rankfile() == null && !wanted.sharing()) {
            CpuLevel unit = level == CpuLevel.HWTHREAD ? level : CpuLevel.CORE;
            bindings.requireRoom(wanted, topology, unit, Math.max(1, map.units));
        }
        return bindings;
    }

    /// The value of `--map-by`.
    ///
    /// @param word the unit over which ranks are distributed, as specified; empty if not specified
    /// @param units `N` of `:PE=N`: the number of cores or hardware threads of each rank; 0 if not specified
    public record Mapping(@Nullable CpuLevel by, int units, String word, String words) {}

    public static Mapping mapping(@Nullable String words) {
        if (words == null) return new Mapping(null, 0, "", "");
        int colon = words.indexOf(':');
        String word = colon < 0 ? words : words.substring(0, colon);
        String option = "--map-by " + words + ": ";
        CpuLevel by = word.equals("slot") ? CpuLevel.NODE : CpuLevel.named(word);
        if (by == null) {
            throw new UsageException(
                    option + "there are slot, core, hwthread, socket, numa and node, each with or without"
                            + " :PE=N for N cores per rank");
        }
        if (colon < 0) return new Mapping(by, 0, word, words);
        String more = words.substring(colon + 1).toUpperCase(Locale.ROOT);
        if (!more.startsWith(PE)) {
            throw new UsageException(option + "only :PE=N, for N cores per rank, can follow, not :" + more);
        }
        try {
            int units = Integer.parseInt(more.substring(PE.length()));
            if (units > 0) return new Mapping(by, units, word, words);
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new UsageException(option + "PE is a whole number of cores from 1, as in --map-by core:PE=2");
    }

    /// Returns the unit to which ranks are bound; null for none. As in mpirun, it is derived from the mapping
    /// if not specified.
    public static @Nullable CpuLevel level(Binding wanted, Mapping map) {
        String to = wanted.to();
        CpuLevel level = to == null || to.equals("none") ? null : CpuLevel.named(to);
        if (level == CpuLevel.NODE || level == null && to != null && !to.equals("none")) {
            throw new UsageException("--bind-to " + to + ": there are core, hwthread, socket, numa and none");
        }
        String dealing = map.units > 0 ? "--map-by " + map.words : "";
        if (wanted.rankfile() != null) {
            if (map.by != null)
                throw new UsageException("--rankfile and --map-by: both specify where ranks run; give one");
            dealing = "--rankfile " + wanted.rankfile();
        }
        if (!dealing.isEmpty()) {
            if (to == null) return CpuLevel.CORE;
            if (level == CpuLevel.CORE || level == CpuLevel.HWTHREAD) return level;
            throw new UsageException(
                    "--bind-to " + to + ": " + dealing + " gives each rank separate cores; use core or hwthread");
        }
        if (to != null) return level;
        return map.by == CpuLevel.NODE ? null : map.by;
    }

    /// Distributes the ranks round-robin over the units of the mapping. Within such a unit, distributes the ranks
    /// round-robin over the contained units of `level`, with `:PE=N` over blocks of N units.
    private static void deal(List<Place> places, CpuTopology topology, Mapping map, CpuLevel level, int ranks) {
        int each = Math.max(1, map.units);
        CpuLevel by = map.by == null || map.units > 0 && map.by.compareTo(level) <= 0 ? CpuLevel.NODE : map.by;
        List<BitSet> things = topology.of(by);
        for (int rank = 0; rank < ranks; rank++) {
            BitSet thing = things.get(rank % things.size());
            int[] inside = topology.inside(level, thing).stream().toArray();
            if (inside.length < each) {
                throw new UsageException("--map-by " + map.words + ": there are only " + inside.length + " "
                        + level.word() + "s in a " + by.word());
            }
            int block = rank / things.size() % (inside.length / each);
            BitSet chosen = new BitSet();
            for (int i = 0; i < each; i++) chosen.set(inside[block * each + i]);
            places.add(place(topology, level, chosen));
        }
    }

    private static Place place(CpuTopology topology, CpuLevel level, BitSet numbers) {
        String name = level.word() + (numbers.cardinality() == 1 ? " " : "s ") + CpuList.of(numbers);
        return new Place(topology.cpus(level, numbers), name);
    }

    private void requireRoom(Binding wanted, CpuTopology topology, CpuLevel unit, int each) {
        for (Place place : places) {
            int room = topology.inside(unit, place.cpus).cardinality();
            if (sharing(place.cpus) * each <= room) continue;
            boolean byMap = wanted.to() == null || each > 1;
            String words = byMap ? "--map-by " + wanted.map() : "--bind-to " + wanted.to();
            int all = topology.of(unit).size();
            throw new UsageException(words + ": " + ranks + " ranks would share " + all + " " + unit.word()
                    + (all == 1 ? "" : "s") + "; start fewer ranks, leave it out, or add --oversubscribe");
        }
    }

    /// Returns the number of ranks that run only on these cpus.
    private int sharing(BitSet cpus) {
        int count = 0;
        for (Place place : places) {
            BitSet outside = (BitSet) place.cpus.clone();
            outside.andNot(cpus);
            if (outside.isEmpty()) count++;
        }
        return count;
    }

    public boolean isBound() {
        return !places.isEmpty();
    }

    /// Returns the cpus of a rank; null if it is not bound.
    @Nullable
    public BitSet cpus(int rank) {
        return isBound() ? places.get(rank).cpus : null;
    }

    /// Returns the cpus of the launcher.
    public BitSet launcher() {
        return launcher;
    }

    /// Returns the number of processors for the JVM of a rank: the number of the rank's cpus (of all cores, if
    /// it is not bound), divided by the number of ranks that share them.
    public int processors(int rank) {
        BitSet cpus = cpus(rank);
        return Math.max(1, cpus == null ? HostResources.cores() / ranks : cpus.cardinality() / sharing(cpus));
    }

    /// Returns the smallest number of processors of any rank. It is used for all ranks if the ranks cannot be
    /// distinguished.
    public int fewestProcessors() {
        int fewest = processors(0);
        for (int rank = 1; rank < places.size(); rank++) fewest = Math.min(fewest, processors(rank));
        return fewest;
    }

    /// Returns the number of cores that ranks share. If it is less than the number of ranks, waits must not
    /// spin. All ranks get the same number, because an engine may base collective decisions on it.
    public int cores() {
        return Math.min(HostResources.cores(), together());
    }

    /// Returns a number of cpus for all ranks together: the CPU share of the rank with the smallest share,
    /// multiplied by the number of ranks. [Integer#MAX_VALUE] if the ranks are not bound.
    int together() {
        int fewest = Integer.MAX_VALUE;
        for (Place place : places) fewest = Math.min(fewest, ranks * place.cpus.cardinality() / sharing(place.cpus));
        return Math.max(1, fewest);
    }

    /// Returns `rank 0 bound to core 0 (cpus 0)`.
    ///
    /// @param first the number in the world of the first rank on this machine
    public String report(int rank, int first) {
        String name = "rank " + (first + rank);
        if (!isBound()) return name + " is not bound";
        Place place = places.get(rank);
        return name + " bound to " + place.name + " (cpus " + CpuList.of(place.cpus) + ")";
    }
}
