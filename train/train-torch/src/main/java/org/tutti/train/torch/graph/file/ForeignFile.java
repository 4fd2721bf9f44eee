package org.tutti.train.torch.graph.file;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tutti.train.checkpoint.CheckpointException;

/// Files of other formats, recognized by their first bytes.
final class ForeignFile {
    private static final int HEAD_BYTES = 16;

    private ForeignFile() {}

    /// Returns the exception for a file that is not a zip file.
    static CheckpointException refused(MemorySegment all, String file) {
        byte[] head = all.asSlice(0, Math.min(HEAD_BYTES, all.byteSize())).toArray(ValueLayout.JAVA_BYTE);
        return new CheckpointException(file + " is not an exported program, but " + format(head));
    }

    private static String format(byte[] head) {
        return "…";
    }
}
