package mpjbuf;

import java.nio.ByteBuffer;

/// The memory of a [Buffer].
public interface RawBuffer {
    /// Returns the whole memory, in native byte order; the contents are shared.
    ByteBuffer memory();
}
