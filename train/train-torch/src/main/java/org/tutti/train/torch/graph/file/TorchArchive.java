package org.tutti.train.torch.graph.file;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.tutti.train.checkpoint.CheckpointException;

/// A zip file in PyTorch's form: all entries are in one folder, which may have any name.
///
/// @param root the folder, with a slash
/// @param where the file, for errors
record TorchArchive(MappedZip zip, String root, String where) {
    private static final String ORDER = "byteorder";
    private static final long LARGEST_MARKER = 100;

    /// @throws CheckpointException if there are no entries, or entries outside of the folder, or if the numbers
    ///     or this machine are big-endian
    static TorchArchive in(MappedZip zip, String where) throws IOException {
        String root = "";
        for (String name : zip.names()) {
            String folder = name.substring(0, name.indexOf('/') + 1);
            if (folder.isEmpty())
                throw refused(where, "is not an archive of PyTorch: " + GraphJson.shown(name) + " is in no folder");
            if (!root.isEmpty() && !root.equals(folder)) {
                throw refused(
                        where,
                        "is not an archive of PyTorch: there are entries in the folders " + GraphJson.shown(root)
                                + " and " + GraphJson.shown(folder));
            }
            root = folder;
        }
        if (root.isEmpty()) throw refused(where, "is an empty zip file");
        TorchArchive archive = new TorchArchive(zip, root, where);
        archive.requireByteOrder();
        return archive;
    }

    private void requireByteOrder() throws IOException {
        if (ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN)
            throw refused(where, "is little-endian, and this machine is not");
        if (!has(ORDER)) return;
        try (Arena scratch = Arena.ofConfined()) {
            byte[] text = contents(ORDER, LARGEST_MARKER, scratch).toArray(ValueLayout.JAVA_BYTE);
            String order = new String(text, UTF_8).strip();
            if (!order.equals("little"))
                throw refused(where, "has the byte order " + GraphJson.shown(order) + "; only little is supported");
        }
    }

    boolean has(String entry) {
        return zip.has(root + entry);
    }

    /// Returns whether a folder has entries.
    boolean hasFolder(String folder) {
        for (String name : zip.names()) if (name.startsWith(root + folder)) return true;
        return false;
    }

    MemorySegment contents(String entry, long limit, Arena arena) throws IOException {
        return zip.contents(root + entry, limit, arena);
    }

    /// @param folder such as `data/weights/`
    Storages storages(String folder, Arena arena) {
        return new Storages(zip, root + folder, where, arena);
    }

    private static CheckpointException refused(String where, String problem) {
        return new CheckpointException(where + " " + problem);
    }
}
