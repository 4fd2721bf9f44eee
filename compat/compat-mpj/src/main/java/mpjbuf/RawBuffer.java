package mpjbuf;

import java.nio.ByteBuffer;

/// The memory of a [Buffer].
public interface RawBuffer {
    /// Returns all of it, in the machine's byte order; the content is shared.
    ByteBuffer memory();
}
