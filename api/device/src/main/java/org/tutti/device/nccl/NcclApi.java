package org.tutti.device.nccl;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import org.tutti.device.spi.DeviceCommunicator.Element;
import org.tutti.device.spi.DeviceCommunicator.Reduction;
import org.tutti.device.spi.DeviceFault;
import org.tutti.device.spi.DeviceFault.Reason;
import org.tutti.device.table.ErrorTable;
import org.tutti.device.table.FunctionTable;
import org.tutti.device.table.HeaderNumbers;

/// The functions and constants of a loaded NCCL or RCCL, and the conversion of error codes.
final class NcclApi {
    static final int SUCCESS = 0, IN_PROGRESS = 7;

    private static final ErrorTable CODES = ErrorTable.read(NcclApi.class, "codes.tsv");
    private static final HeaderNumbers<Element> TYPES =
            HeaderNumbers.read(Element.class, NcclApi.class, "types.tsv", "number");
    private static final HeaderNumbers<Reduction> OPERATIONS =
            HeaderNumbers.read(Reduction.class, NcclApi.class, "operations.tsv", "number");

    // The first fields of ncclConfig_t, which are equal in all versions; the library reads `size` bytes.
    //   0          8          12         16         20
    //   |  size    |  magic   | version  | blocking |  …
    private static final int CONFIG_BYTES = 24, CONFIG_MAGIC = 0xcafebeef, CONFIG_VERSION = 21400;
    private static final long MAGIC_AT = 8, VERSION_AT = 12, BLOCKING_AT = 16;

    final FunctionTable<NcclFunction> table;

    /// The version in the library's format: 23007 is 2.30.7.
    final int version;

    private final String name;

    /// @param name the name of the library, without a version
    NcclApi(String name, String path, SymbolLookup symbols) {
        table = new FunctionTable<>(path, NcclFunction.ROWS, NcclFunction.NAME, symbols);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_INT);
            int code = table.call(NcclFunction.VERSION, out.address());
            if (code != SUCCESS) throw fault(NcclFunction.VERSION, code, 0);
            version = out.get(JAVA_INT, 0);
        }
        this.name = name + " " + dotted(version);
    }

    /// Returns the version as text, for example `2.30.7`. Up to version 2.8, the number has only one digit for
    /// the minor version: 2804 is 2.8.4.
    static String dotted(int version) {
        return version < 10_000
                ? version / 1000 + "." + version / 100 % 10 + "." + version % 100
                : version / 10_000 + "." + version / 100 % 100 + "." + version % 100;
    }

    /// Returns the name and version.
    @Override
    public String toString() {
        return name;
    }

    /// Returns the name of a code, for example `ncclRemoteError (6)`.
    static String code(int code) {
        return CODES.text(code, NcclFunction.NAME);
    }

    /// Returns the name and the number of a code, and the library's last error message.
    String text(int code, long communicator) {
        String last = table.has(NcclFunction.LAST_ERROR) ? table.text(NcclFunction.LAST_ERROR, communicator) : "";
        return code(code) + (last.isBlank() ? "" : "; " + last.strip());
    }

    DeviceFault fault(NcclFunction function, int code, long communicator) {
        return new DeviceFault(reason(code), function.symbol() + ": " + text(code, communicator));
    }

    static Reason reason(int code) {
        return CODES.reason(code);
    }

    byte[] uniqueId() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment id = arena.allocate(FunctionTable.UNIQUE_ID_BYTES);
            int code = table.call(NcclFunction.UNIQUE_ID, id.address());
            if (code != SUCCESS) throw fault(NcclFunction.UNIQUE_ID, code, 0);
            return id.toArray(JAVA_BYTE);
        }
    }

    /// Starts the creation of a communicator that has nonblocking calls. Returns the communicator before it is
    /// ready.
    long init(int size, byte[] uniqueId, int rank) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG);
            MemorySegment id = arena.allocateFrom(JAVA_BYTE, uniqueId);
            MemorySegment config = config(arena);
            int code = table.call(NcclFunction.INIT, out.address(), size, id.address(), rank, config.address());
            if (code != SUCCESS && code != IN_PROGRESS) throw fault(NcclFunction.INIT, code, 0);
            return out.get(JAVA_LONG, 0);
        }
    }

    private static MemorySegment config(Arena arena) {
        MemorySegment config = arena.allocate(CONFIG_BYTES, Long.BYTES);
        config.set(JAVA_LONG, 0, CONFIG_BYTES);
        config.set(JAVA_INT, MAGIC_AT, CONFIG_MAGIC);
        config.set(JAVA_INT, VERSION_AT, CONFIG_VERSION);
        config.set(JAVA_INT, BLOCKING_AT, 0);
        return config;
    }

    /// Calls a function that stores a value at the address in the second argument, and returns this value.
    int number(NcclFunction function, long communicator) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_INT);
            int code = table.call(function, communicator, out.address());
            if (code != SUCCESS) throw fault(function, code, communicator);
            return out.get(JAVA_INT, 0);
        }
    }

    static int type(Element element) {
        return TYPES.of(element);
    }

    static int operation(Reduction reduction) {
        return OPERATIONS.of(reduction);
    }
}
