package mpi;

import java.util.LinkedHashMap;
import java.util.Map;
import org.tutti.mpi.dropin.DropIn;

/// Hints: keys and values, both strings.
public final class Info implements Freeable, Cloneable {
    private final Map<String, String> entries = new LinkedHashMap<>();
    private boolean isNull;

    public Info() throws MPIException {
        LifeCycle.mpi();
    }

    private Info(boolean isNull, Map<String, String> entries) {
        this.isNull = isNull;
        this.entries.putAll(entries);
    }

    /// Returns `INFO_NULL`.
    static Info ofNull() {
        return new Info(true, Map.of());
    }

    /// Returns an info with these entries; can be called before `Init`.
    static Info of(Map<String, String> entries) {
        return new Info(false, entries);
    }

    /// Returns the entries of `info`; an empty map if `info` is null or `INFO_NULL`.
    static Map<String, String> map(Info info) {
        return info == null ? Map.of() : Map.copyOf(info.entries);
    }

    /// Sets the entries of `INFO_ENV`, when the job is known.
    void fill(Map<String, String> start) {
        entries.putAll(start);
        String program = DropIn.mainClass(), arguments = DropIn.arguments();
        if (!program.isEmpty()) {
            entries.put("command", program); // without the JVM and its options
            entries.put("argv", arguments);
        }
        entries.put("ompi_np", start.getOrDefault("maxprocs", "1"));
        entries.put("ompi_num_apps", "1");
    }

    private void check() throws MPIException {
        if (isNull) throw Failures.of(MPI.ERR_INFO, "MPI_ERR_INFO: the info is null, or was freed");
    }

    public void set(String key, String value) throws MPIException {
        check();
        if (key.isEmpty() || key.length() > MPI.MAX_INFO_KEY) {
            throw Failures.of(
                    MPI.ERR_INFO_KEY,
                    "MPI_ERR_INFO_KEY: a key of " + key.length() + " characters; it has 1 to " + MPI.MAX_INFO_KEY);
        }
        if (value.length() > MPI.MAX_INFO_VAL) {
            throw Failures.of(
                    MPI.ERR_INFO_VALUE,
                    "MPI_ERR_INFO_VALUE: a value of " + value.length() + " characters; it has up to "
                            + MPI.MAX_INFO_VAL);
        }
        entries.put(key, value);
    }

    /// Returns null if the key is absent.
    public String get(String key) throws MPIException {
        check();
        return entries.get(key);
    }

    public void delete(String key) throws MPIException {
        check();
        if (entries.remove(key) == null) {
            throw Failures.of(MPI.ERR_INFO_NOKEY, "MPI_ERR_INFO_NOKEY: key=\"" + key + "\" is not there");
        }
    }

    public int size() throws MPIException {
        check();
        return entries.size();
    }

    public String getKey(int i) throws MPIException {
        check();
        if (i < 0 || i >= entries.size()) {
            throw Failures.of(MPI.ERR_ARG, "MPI_ERR_ARG: key " + i + " of an info with " + entries.size());
        }
        return entries.keySet().stream().skip(i).findFirst().orElseThrow();
    }

    public Info dup() throws MPIException {
        check();
        return clone();
    }

    @Override
    public Info clone() {
        return new Info(isNull, entries);
    }

    @Override
    public void free() throws MPIException {
        check();
        isNull = true;
    }

    public boolean isNull() {
        return isNull;
    }
}
