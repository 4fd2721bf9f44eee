package org.tutti.spi;

/// An optional capability of engines: a small interface that extends this one, and that callers request by
/// [Engine#power].
public interface Power {}
