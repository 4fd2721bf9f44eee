package org.tutti.shm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.NamelessFiles;
import org.tutti.job.os.OsPlatform;
import org.tutti.shm.progress.JobFailure;
import org.tutti.shm.segment.Bells;
import org.tutti.shm.segment.Segment;
import org.tutti.shm.segment.SharedNotes;
import org.tutti.spi.ConnectionMemory;
import org.tutti.spi.Engine;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;

/// Memory with the structure of a job's shared memory, in which processes of different jobs connect. Processes
/// can join at any time. Each process checks whether the processes for which it waits are alive.
final class ShmConnection implements ConnectionMemory {
    private static final String LABEL = "tutti-port";

    /// The segments that this process has mapped, keyed by the identity of the file, because a path can be
    /// reused for a different file. A mapping costs address space, which suffices for a few hundred mappings.
    private static final Map<Object, WeakReference<Segment>> MAPPED = new HashMap<>();

    private final String address;
    private final Segment segment;

    /// The file of the memory; null if the memory was created by a different process.
    private final @Nullable JobFile file;

    private ShmConnection(String address, Segment segment, @Nullable JobFile file) {
        this.address = address;
        this.segment = segment;
        this.file = file;
    }

    static ShmConnection create() {
        JobFile[] made = new JobFile[1];
        try {
            Segment segment = Segment.ofSeveralJobs(OsPlatform.open(), LABEL, f -> made[0] = f, Arena.ofAuto());
            String path = made[0].path();
            if (!made[0].isNameless()) {
                made[0].hide();
                throw wrong("open", "on this system no other process can attach the memory of a port", null);
            }
            synchronized (MAPPED) {
                MAPPED.put(NamelessFiles.identity(path), new WeakReference<>(segment));
            }
            return new ShmConnection(path, segment, made[0]);
        } catch (IOException | UncheckedIOException e) {
            throw Fault.argument(PredefinedErrorClass.ERR_NO_MEM, "open", String.valueOf(e.getMessage()), null);
        }
    }

    static ShmConnection attach(String address) {
        try {
            return new ShmConnection(address, mapped(address), null);
        } catch (IOException | UncheckedIOException e) {
            check(address); // the port may have been closed in the meantime
            throw wrong("connect", "the memory of the port, " + address + ", cannot be mapped: " + e.getMessage(), e);
        }
    }

    private static Segment mapped(String address) throws IOException {
        synchronized (MAPPED) {
            check(address);
            Object identity = NamelessFiles.identity(address);
            WeakReference<Segment> known = MAPPED.get(identity);
            Segment segment = known == null ? null : known.get();
            if (segment != null) return segment;
            segment = attach(address, Arena.ofAuto());
            MAPPED.values().removeIf(s -> s.get() == null);
            MAPPED.put(identity, new WeakReference<>(segment));
            return segment;
        }
    }

    private static Segment attach(String path, Arena arena) throws IOException {
        return Segment.attach(JobFile.attach(path, LABEL), 0, 0, arena);
    }

    private static void check(String address) {
        if (NamelessFiles.isOne(address, LABEL)) return;
        throw wrong(
                "connect",
                "no memory of a port at " + address
                        + " on this machine; the process that opened the port has ended, has closed it, or runs as a different user",
                null);
    }

    private static Fault wrong(String operation, String text, @Nullable Throwable cause) {
        return Fault.argument(PredefinedErrorClass.ERR_PORT, operation, text, null, cause);
    }

    /// See [org.tutti.spi.EngineProvider.Meeting#published].
    static List<String> published(String key) {
        Set<String> values = new LinkedHashSet<>();
        try {
            for (NamelessFiles.Found found : NamelessFiles.find(LABEL)) {
                try (Arena arena = Arena.ofShared()) {
                    Segment segment = attach(found.path(), arena);
                    String value = new SharedNotes(segment, 0).find(key);
                    if (value != null) values.add(value);
                } catch (IOException | UncheckedIOException e) {
                    // the process has terminated in the meantime
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return List.copyOf(values);
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public int newProcesses(int count, String operation) {
        return segment.newProcesses(count, 0, operation);
    }

    @Override
    public Engine enterSeparately(String operation) {
        return enter(new Place(0, 1, newProcesses(1, operation)));
    }

    @Override
    public Engine enter(String invitation, boolean invited, int rank) {
        Invitation parsed = Invitation.of(invitation);
        int[] servers = parsed.parents();
        return enter(invited ? parsed.place(rank) : new Place(rank, servers.length, servers[0]));
    }

    private Engine enter(Place place) {
        segment.markUnwatched(place.process());
        OsPlatform platform = OsPlatform.open();
        return new ShmEngine(
                segment,
                Bells.ofProcesses(segment, platform),
                place,
                null,
                new JobFailure(),
                (_, _, why) -> {
                    throw new IllegalStateException("abort without a job: " + why);
                },
                "shm, in the memory of a port",
                ShmProvider.idle(2 * place.size()),
                new ReentrantLock(),
                null);
    }

    @Override
    public void close() {
        try {
            if (file != null) file.hide();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
