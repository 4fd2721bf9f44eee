package org.tutti.spi.type;

/// Receives runs of bytes one by one.
@FunctionalInterface
public interface RunVisitor {
    /// Receives a run of `bytes` bytes at `offset`.
    void run(long offset, long bytes);
}
