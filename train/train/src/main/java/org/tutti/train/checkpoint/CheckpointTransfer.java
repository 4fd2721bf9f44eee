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

/// Sends files of rank 0 to machines without access to the files. Each rank there writes a copy, maps it, and
/// immediately deletes the file; the mapping remains valid.
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

    /// Reads the files. All ranks call it.
    ///
    /// @throws IOException on all ranks, if rank 0 cannot read the files, or a rank cannot write its copy
    Safetensors read(Manifest manifest, Arena arena) throws IOException {
        List<Path> own = new ArrayList<>();
        try {
            transfer(manifest, own);
            List<String> all = group.allgather(wrong);
            for (int r = 0; r < all.size(); r++) {
                if (all.get(r).isEmpty()) continue;
                throw new IOException(
                        r == 0
                                ? "rank 0 cannot send the checkpoint in " + store.directory() + ": " + all.get(r)
                                : "rank " + r + " cannot keep the checkpoint that rank 0 sends it in "
                                        + store.directory() + ": " + all.get(r));
            }
            List<Safetensors> read = new ArrayList<>();
            for (Path p : own) read.add(Safetensors.read(p, arena));
            return Safetensors.joined(read);
        } finally {
            for (Path p : own) if (!has) Files.deleteIfExists(p); // the mapping remains valid
        }
    }

    /// Sends or receives the files, and adds the paths of this rank to `own`.
    private void transfer(Manifest manifest, List<Path> own) {
        MemorySegment part = group.allocate(PART_BYTES);
        try {
            for (Part p : manifest.parts()) {
                Path path = has
                        ? store.directory().resolve(p.file())
                        : store.unfinished("received-by-" + group.rank() + "-" + p.file());
                own.add(path);
                if (group.rank() == 0) send(path, p.bytes(), part);
                else receive(path, p.bytes(), part);
            }
        } finally {
            group.free(part);
        }
    }

    /// Sends as many bytes as the other ranks expect, even after a failure.
    private void send(Path file, long bytes, MemorySegment part) {
        FileChannel channel = null;
        try {
            channel = FileChannel.open(file, StandardOpenOption.READ);
        } catch (IOException e) {
            wrong = e.toString();
        }
        for (long at = 0; at < bytes; at += PART_BYTES) {
            MemorySegment sent = part.asSlice(0, Math.min(PART_BYTES, bytes - at));
            if (channel != null && wrong.isEmpty()) read(channel, sent.asByteBuffer(), file);
            group.broadcast(sent, 0);
        }
        try {
            if (channel != null) channel.close();
        } catch (IOException e) {
            wrong = e.toString();
        }
    }

    private void read(FileChannel channel, ByteBuffer into, Path file) {
        try {
            while (into.hasRemaining()) {
                if (channel.read(into) < 0) throw new CheckpointException(file + " ends at " + channel.position());
            }
        } catch (IOException e) {
            wrong = e.toString();
        }
    }

    /// Receives all bytes, even if they are not needed or cannot be written, because the other ranks continue.
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
