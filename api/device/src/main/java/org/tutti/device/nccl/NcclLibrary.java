package org.tutti.device.nccl;

import static org.tutti.mpi.Buf.buf;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.tutti.device.gpu.GpuDriver;
import org.tutti.device.library.Attempt;
import org.tutti.device.library.DynamicLibrary;
import org.tutti.device.library.LibrarySearch;
import org.tutti.device.spi.CollectiveLibrary;
import org.tutti.device.spi.DeviceCommunicator;
import org.tutti.device.spi.DeviceDriver;
import org.tutti.device.spi.DeviceFault;
import org.tutti.device.spi.DeviceFault.Reason;
import org.tutti.device.table.FunctionTable;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Op;

/// NCCL or RCCL, loaded on first use.
abstract class NcclLibrary implements CollectiveLibrary {
    /// The maximum time of an operation in seconds, after which the communicator is aborted. Values above
    /// [#LONGEST_SECONDS] are replaced by [#LONGEST_SECONDS].
    static final String TIMEOUT = "tutti.device.nccl.timeout";

    /// If this variable is 1, NCCL 2.30 and later permits ranks to share a device.
    static final String MULTIPLE_RANKS = "NCCL_MULTI_RANK_GPU_ENABLE";

    private static final int DEFAULT_TIMEOUT_SECONDS = 600;
    private static final int SINCE_MULTIPLE_RANKS = 23000;
    private static final double LONGEST_SECONDS = 1e9;
    private static final int NONE = -1, WRONG_TIMEOUT = -2;

    /// The offsets in the record that each rank sends. The record contains three values: the version of the
    /// library (or [#NONE], or [#WRONG_TIMEOUT]), whether ranks may share a device (0 or 1), and the UUID of
    /// the device.
    private static final int SHARING_AT = Integer.BYTES, UUID_AT = 2 * Integer.BYTES;
    private static final int UUID_BYTES = 76, RECORD_BYTES = UUID_AT + UUID_BYTES;

    private final String kind;
    private final LibrarySearch search;
    private final Function<LibrarySearch, DynamicLibrary> loader;
    private final Function<String, String> environment;
    private final List<Attempt> attempts = new ArrayList<>();
    private boolean isLoaded;
    private @Nullable NcclApi api;

    NcclLibrary(
            String kind,
            LibrarySearch search,
            Function<LibrarySearch, DynamicLibrary> loader,
            Function<String, String> environment) {
        this.kind = kind;
        this.search = search;
        this.loader = loader;
        this.environment = environment;
    }

    @Override
    public final String deviceKind() {
        return kind;
    }

    @Override
    public final synchronized List<Attempt> attempts() {
        api();
        return List.copyOf(attempts);
    }

    @Override
    public final @Nullable String version() {
        NcclApi own = api();
        return own == null ? null : NcclApi.dotted(own.version);
    }

    private synchronized @Nullable NcclApi api() {
        if (isLoaded) return api;
        isLoaded = true;
        DynamicLibrary library = loader.apply(search);
        attempts.addAll(library.attempts());
        if (library.symbols() == null) return null;
        String path = String.valueOf(library.path());
        try {
            api = new NcclApi(title(), path, library.symbols());
        } catch (DeviceFault e) {
            attempts.add(new Attempt(path, e.getMessage()));
        }
        return api;
    }

    private String title() {
        return name().toUpperCase(Locale.ROOT);
    }

    @Override
    public final DeviceCommunicator connect(Comm comm, DeviceDriver device) {
        if (!(device instanceof GpuDriver gpu) || !device.attributes().kind().equals(kind)) {
            throw new IllegalArgumentException(device.attributes().id() + " is not a device of " + title());
        }
        NcclApi own = api();
        Duration limit = limit();
        int version = own == null ? NONE : limit == null ? WRONG_TIMEOUT : own.version;
        ByteBuffer all = exchange(comm, version, mayShare(), device.attributes().uuid());
        String refusal = refusal(all, comm.size());
        if (refusal != null || own == null || limit == null)
            throw new DeviceFault(Reason.UNSUPPORTED, name() + ": " + refusal);
        byte[] id = uniqueId(comm, own);
        String failure = null;
        NcclCommunicator made = null;
        try {
            made = NcclCommunicator.init(own, gpu, limit, comm, id);
        } catch (DeviceFault e) {
            failure = e.getMessage();
        }
        int[] failed = {made == null ? comm.rank() : Integer.MAX_VALUE};
        comm.allreduce(buf(failed), Op.MIN);
        if (made != null && failed[0] == Integer.MAX_VALUE) return made;
        if (made != null) made.abort();
        throw new DeviceFault(
                Reason.FAILED,
                failure != null
                        ? failure
                        : name() + ": initialization failed on rank " + failed[0] + "; see that rank's output");
    }

    /// Returns the maximum time of an operation; null if the property is not a positive number.
    private static @Nullable Duration limit() {
        double seconds;
        try {
            seconds = Double.parseDouble(System.getProperty(TIMEOUT, Integer.toString(DEFAULT_TIMEOUT_SECONDS)));
        } catch (NumberFormatException e) {
            return null;
        }
        return seconds > 0 ? Duration.ofMillis(Math.round(1000 * Math.min(seconds, LONGEST_SECONDS))) : null;
    }

    /// Returns the records of all ranks.
    private static ByteBuffer exchange(Comm comm, int version, boolean mayShare, String uuid) {
        byte[] mine = Arrays.copyOf(uuid.getBytes(StandardCharsets.UTF_8), UUID_BYTES);
        byte[] record = ByteBuffer.allocate(RECORD_BYTES)
                .putInt(version)
                .putInt(mayShare ? 1 : 0)
                .put(mine)
                .array();
        byte[] all = new byte[comm.size() * RECORD_BYTES];
        comm.allgather(buf(record), buf(all));
        return ByteBuffer.wrap(all);
    }

    /// Returns the reason why these ranks cannot be connected; null if they can be connected. All ranks reach
    /// the same decision.
    private @Nullable String refusal(ByteBuffer all, int size) {
        Map<String, Integer> devices = new HashMap<>();
        int first = all.getInt(0);
        boolean isShared = first >= SINCE_MULTIPLE_RANKS;
        for (int rank = 0; rank < size; rank++) {
            int version = all.getInt(rank * RECORD_BYTES);
            if (version == NONE) {
                return "rank " + rank + " has no " + search.names().getFirst() + "; -D" + search.property()
                        + "=… sets the path";
            }
            if (version == WRONG_TIMEOUT) {
                return "rank " + rank + " has a -D" + TIMEOUT
                        + " that is not a positive number of seconds; this rank has "
                        + System.getProperty(TIMEOUT, "the default, " + DEFAULT_TIMEOUT_SECONDS);
            }
            if (version != first) {
                return "rank 0 has version " + NcclApi.dotted(first) + ", rank " + rank + " has "
                        + NcclApi.dotted(version) + "; all ranks need the same version";
            }
            isShared &= all.getInt(rank * RECORD_BYTES + SHARING_AT) == 1;
        }
        for (int rank = 0; rank < size; rank++) {
            byte[] bytes = new byte[UUID_BYTES];
            all.get(rank * RECORD_BYTES + UUID_AT, bytes);
            String uuid = new String(bytes, StandardCharsets.UTF_8).replace("\0", "");
            Integer other = devices.putIfAbsent(uuid, rank);
            if (other != null && !isShared) {
                return "ranks " + other + " and " + rank + " use the same device, " + uuid + "; " + title()
                        + " needs one device per rank" + (kind.equals("cuda") ? multipleRanks(first) : "");
            }
        }
        return null;
    }

    /// Returns whether this rank's environment permits ranks to share a device. Other ranks may have a
    /// different environment.
    private boolean mayShare() {
        return "1".equals(environment.apply(MULTIPLE_RANKS));
    }

    private static String multipleRanks(int version) {
        return version >= SINCE_MULTIPLE_RANKS ? ", unless " + MULTIPLE_RANKS + "=1 is set on all ranks" : "";
    }

    /// Returns the id that rank 0 has created. Throws on all ranks if rank 0 fails.
    private byte[] uniqueId(Comm comm, NcclApi own) {
        byte[] message = new byte[1 + FunctionTable.UNIQUE_ID_BYTES];
        DeviceFault fault = null;
        if (comm.rank() == 0) {
            try {
                System.arraycopy(own.uniqueId(), 0, message, 1, FunctionTable.UNIQUE_ID_BYTES);
                message[0] = 1;
            } catch (DeviceFault e) {
                fault = e;
            }
        }
        comm.bcast(buf(message), 0);
        if (fault != null) throw fault;
        if (message[0] == 0) {
            throw new DeviceFault(
                    Reason.FAILED, name() + ": rank 0 could not create a unique id; see the output of rank 0");
        }
        return Arrays.copyOfRange(message, 1, message.length);
    }
}
