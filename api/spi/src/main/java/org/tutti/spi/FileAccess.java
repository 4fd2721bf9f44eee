package org.tutti.spi;

/// One rank's access to a file, for those that watch. Files are read and written above engines, so none is asked.
public final class FileAccess implements ObservedCall {
    public final String operation;

    /// The file's own communicator.
    public final CommPort port;

    public final String path;
    public final boolean writes;

    /// Whether it goes on after the call, and is waited for later.
    public final boolean starts;

    /// Where it begins, in bytes of the data that the rank's view shows.
    public final long offset;

    /// How many are wanted.
    public final long bytes;

    /// For whoever records it: the number of its entry; 0 for none.
    public long noted;

    /// The number of bytes that were read or written, after the call; 0 for an access that was started.
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
