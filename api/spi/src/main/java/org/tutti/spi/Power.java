package org.tutti.spi;

/// What some engines can do and others cannot: a small interface that extends this one and that an engine
/// is asked for by [Engine#power].
public interface Power {}
