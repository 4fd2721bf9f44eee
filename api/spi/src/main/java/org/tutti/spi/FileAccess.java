package org.tutti.spi;

/// One rank's access to a file, as observers see it. Files are read and written above the engines.
public final class FileAccess implements ObservedCall {
    public final String operation;

    /// The file's communicator.
    public final CommPort port;

    public final String path;
    public final boolean writes;

    /// Whether the call only starts the access, which continues after the call and is awaited later.
    public final boolean starts;

    /// The offset of the access, in bytes of the data in the rank's view.
    public final long offset;

    /// The number of bytes requested.
    public final long bytes;

    /// The number of the recorder's entry; 0 if the recorder has no entry.
    public long noted;

    /// After the call, the number of bytes that were read or written; 0 for an access that was only started.
    public long done;

    public FileAccess(
            String operation, CommPort port, String path, boolean writes, boolean starts, long offset, long bytes) {
        this.operation = operation;
        this.port = port;
        this.path = path;
        this.writes = writes;
        this.starts = starts;
        this.offset = offset;
        this.bytes = bytes;
    }
}
