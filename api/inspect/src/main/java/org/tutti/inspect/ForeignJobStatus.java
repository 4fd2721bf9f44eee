package org.tutti.inspect;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.OsPlatform;
import org.tutti.job.process.RankProcess;
import org.tutti.job.status.JobStatus;
import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;
import org.tutti.spi.Communicators;
import org.tutti.spi.Engine;
import org.tutti.spi.JobWatcher;
import org.tutti.spi.Memory;
import org.tutti.spi.type.ElementType;

/// The shared memory of a job that a different launcher has started, if all ranks are on one machine. Rank 0
/// creates the memory, sends the location to the other ranks, and watches the ranks.
///
/// @param file a file without a name; the other ranks open it through rank 0's descriptor
record ForeignJobStatus(JobFile file, JobStatus status) {
    /// The maximum size of a message with a path and its length, in bytes.
    private static final int MESSAGE = 512;

    private static final int DEADLOCK = 1;

    /// Creates or opens the memory of the job. Returns null if there are no ranks to watch, or if there is not
    /// enough memory. Collective over the world.
    static @Nullable ForeignJobStatus make(Engine engine, RankProcess process) {
        CommPort world = engine.communicators().world();
        if (world.size() == 1 || !areOnOneMachine(engine, world)) return null;
        boolean first = world.rank() == 0;
        JobFile file = first ? create(world.size()) : null;
        String path = report(engine, file == null ? "" : file.path());
        if (path.isEmpty()) return null;
        try {
            if (file == null) file = JobFile.attach(path);
            JobStatus status = JobStatus.attach(file, world.size());
            status.claim(world.rank(), ProcessHandle.current().pid());
            status.state(world.rank(), JobStatus.State.JOINED);
            process.watch().serve(status);
            if (first) watch(engine, status, process);
            return new ForeignJobStatus(file, status);
        } catch (IOException e) {
            return null; // for example, the file of a different user: the job runs without stall reports
        }
    }

    private static boolean areOnOneMachine(Engine engine, CommPort world) {
        Communicators communicators = engine.communicators();
        CommPort machine = Objects.requireNonNull(communicators.splitShared(world, 0, world.rank()));
        int size = machine.size();
        communicators.free(machine);
        return size == world.size();
    }

    private static @Nullable JobFile create(int size) {
        try {
            JobFile file = OsPlatform.open().createFile("tutti", JobFile.BYTES);
            JobStatus.create(file, size, false);
            return file;
        } catch (IOException e) {
            return null;
        }
    }

    private static String report(Engine engine, String path) {
        byte[] utf8 = path.getBytes(StandardCharsets.UTF_8), message = new byte[MESSAGE];
        if (utf8.length <= MESSAGE - Integer.BYTES)
            ByteBuffer.wrap(message).putInt(utf8.length).put(utf8);
        Collective c = engine.collective().fill("init", engine.communicators().world(), Collective.Kind.BCAST, 0);
        c.recv.memory = new Memory.Heap(MemorySegment.ofArray(message), message);
        c.send.type = ElementType.BYTE;
        c.recv.type = ElementType.BYTE;
        c.send.count = MESSAGE;
        engine.run(c);
        ByteBuffer answer = ByteBuffer.wrap(message);
        byte[] others = new byte[Math.clamp(answer.getInt(), 0, MESSAGE - Integer.BYTES)];
        answer.get(others);
        return new String(others, StandardCharsets.UTF_8);
    }

    private static void watch(Engine engine, JobStatus status, RankProcess process) {
        for (JobWatcher watcher : ServiceLoader.load(JobWatcher.class, ForeignJobStatus.class.getClassLoader())) {
            watcher.watch(status, process::print, why -> {
                process.print(why);
                process.aborts(DEADLOCK, why);
                engine.job().abort(DEADLOCK, why);
            });
        }
    }
}
