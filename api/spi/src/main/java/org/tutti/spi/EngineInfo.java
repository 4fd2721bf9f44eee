package org.tutti.spi;

/// What an engine is.
///
/// @param name by which it is chosen: `shm`, `libmpi`
/// @param description for people: library and version, transport
/// @param processorName of the machine this rank runs on
/// @param tagUpperBound the largest tag there may be; at least 32767 (MPI 4.1, section 9.1.2)
/// @param describesMessages whether each message says what it consists of and of which call it is: such an
///     engine compares what ranks pass, and reports what it waits for; for others an observer does
public record EngineInfo(
        String name, String description, String processorName, int tagUpperBound, boolean describesMessages) {}
