package mpjbuf;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// Makes memory for [Buffer]s.
public abstract class BufferFactory {
    private BufferFactory() {}

    /// Makes memory of so many bytes.
    public static RawBuffer create(int capacity) {
        return view(ByteBuffer.allocate(capacity));
    }

    /// Does nothing: memory goes when nobody uses it.
    public static void destroy(RawBuffer buffer) {}

    static RawBuffer view(ByteBuffer memory) {
        return () -> memory.duplicate().order(ByteOrder.nativeOrder());
    }
}
