package org.tutti.spi;

/// The properties of an engine.
///
/// @param name the name that selects the engine: `shm` or `libmpi`
/// @param description library, version and transport, for users
/// @param processorName the machine of this rank
/// @param tagUpperBound the largest tag; at least 32767 (MPI 4.1, section 9.1.2)
/// @param describesMessages whether each message contains the type and the call, so that the engine itself
///     compares the arguments of the ranks and reports waits; for other engines, an observer does this
public record EngineInfo(
        String name, String description, String processorName, int tagUpperBound, boolean describesMessages) {}
