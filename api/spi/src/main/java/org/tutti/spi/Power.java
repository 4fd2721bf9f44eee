package org.tutti.spi;

/// An optional capability of engines. A capability is a small interface that extends this interface. Callers
/// request it with [Engine#power].
public interface Power {}
