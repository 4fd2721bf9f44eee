package org.tutti.spi.type;

/// Is told of runs of bytes, one after the other.
@FunctionalInterface
public interface RunVisitor {
    /// `bytes` bytes, the first at `offset`.
    void run(long offset, long bytes);
}
