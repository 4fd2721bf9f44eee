package org.tutti.train.checkpoint;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.tutti.train.ProcessGroup;
import org.tutti.train.checkpoint.Manifest.Part;

/// Files that rank 0 has, for ranks on machines that do not: each of these writes its own, reads it mapped,
/// and has it no longer than that.
final class CheckpointTransfer {
    private static final long PART_BYTES = 8 << 20;

    private final ProcessGroup group;
    private final Store store;
    private final boolean has;
    private String wrong = "";

    /// @param has whether this rank has the files
    CheckpointTransfer(ProcessGroup group, Store store, boolean has) {
        this.group = group;
        this.store = store;
        this.has = has;
    }

    /// Reads them. All ranks call it.
    ///
    /// @throws IOException on all ranks, when one cannot write its own
    Safetensors read(Manifest manifest, Arena arena) throws IOException {
        List<Path> own = new ArrayList<>();
        MemorySegment part = group.allocate(PART_BYTES);
        for (Part p : manifest.parts()) {
            Path path = has
                    ? store.directory().resolve(p.file())
                    : store.unfinished("received-by-" + group.rank() + "-" + p.file());
            own.add(path);
            if (group.rank() == 0) send(path, p.bytes(), part);
            else receive(path, p.bytes(), part);
        }
        group.free(part);
        List<String> all = group.allgather(wrong);
        for (int r = 0; r < all.size(); r++) {
            if (!all.get(r).isEmpty()) {
                throw new IOException("rank " + r + " cannot keep the checkpoint that rank 0 sends it in "
                        + store.directory() + ": " + all.get(r));
            }
        }
        List<Safetensors> read = new ArrayList<>();
        for (Path p : own) {
            read.add(Safetensors.read(p, arena));
            if (!has) Files.deleteIfExists(p); // it stays mapped
        }
        return Safetensors.joined(read);
    }

    private void send(Path file, long bytes, MemorySegment part) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            for (long at = 0; at < bytes; ) {
                ByteBuffer read =
                        part.asSlice(0, Math.min(PART_BYTES, bytes - at)).asByteBuffer();
                while (read.hasRemaining()) {
                    if (channel.read(read) < 0)
                        throw new CheckpointException(file + " ends at " + (at + read.position()));
                }
                group.broadcast(part.asSlice(0, read.capacity()), 0);
                at += read.capacity();
            }
        }
    }

    /// All of it, also where it is not wanted or cannot be written: the others go on.
    private void receive(Path file, long bytes, MemorySegment part) {
        for (long at = 0; at < bytes; at += PART_BYTES) {
            MemorySegment received = part.asSlice(0, Math.min(PART_BYTES, bytes - at));
            group.broadcast(received, 0);
            if (!has && wrong.isEmpty()) write(file, at, received.asByteBuffer());
        }
    }

    private void write(Path file, long at, ByteBuffer received) {
        StandardOpenOption how = at == 0 ? StandardOpenOption.TRUNCATE_EXISTING : StandardOpenOption.WRITE;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, how)) {
            channel.position(at);
            while (received.hasRemaining()) channel.write(received);
        } catch (IOException e) {
            wrong = e.toString();
        }
    }
}
