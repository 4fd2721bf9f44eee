package org.tutti.libmpi.abi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/// The constants of an ABI, by name in `mpi.h`.
public final class AbiTable {
    private record Entry(String kind, String value) {}

    private final Abi abi;
    private final Map<String, Entry> entries;

    private AbiTable(Abi abi, Map<String, Entry> entries) {
        this.abi = abi;
        this.entries = entries;
    }

    static AbiTable read(Abi abi, String resource) {
        Map<String, Entry> entries = HashMap.newHashMap(400);
        try (InputStream in = AbiTable.class.getResourceAsStream(resource)) {
            if (in == null) throw new IllegalStateException("table " + resource + " is missing from the jar");
            BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("#")) continue;
                int kind = line.indexOf('\t') + 1;
                int value = line.indexOf('\t', kind) + 1;
                entries.put(
                        line.substring(0, kind - 1), new Entry(line.substring(kind, value - 1), line.substring(value)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(resource, e);
        }
        return new AbiTable(abi, entries);
    }

    public Abi abi() {
        return abi;
    }

    public boolean has(String name) {
        return entries.containsKey(name);
    }

    /// Returns the value of a constant in the library of `symbols`.
    ///
    /// @throws NoSuchElementException if the ABI or this version of the library does not have the constant
    public long value(String name, SymbolLookup symbols) {
        Entry entry = entries.get(name);
        Long value = entry == null ? null : value(entry, symbols);
        if (value == null) throw new NoSuchElementException(name + " is not in this MPI library (" + abi + ")");
        return value;
    }

    private @Nullable Long value(Entry entry, SymbolLookup symbols) {
        if (entry.value.startsWith("&")) {
            return symbols.find(entry.value.substring(1))
                    .map(MemorySegment::address)
                    .orElse(null);
        }
        if (entry.kind.equals("ptr@load")) {
            return symbols.find(entry.value)
                    .map(at -> at.reinterpret(8).get(ADDRESS, 0).address())
                    .orElse(null);
        }
        long literal = Long.decode(entry.value);
        boolean handle = entry.kind.startsWith("MPI_") && !entry.kind.equals("MPI_Offset");
        // 0x8c000000 is a negative int, like a handle read back from memory
        return handle && abi.handle() == JAVA_INT ? (long) (int) literal : literal;
    }
}
