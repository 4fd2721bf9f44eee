package org.tutti.device.spi;

/// The number of blocks and threads of a launch, and the bytes of shared memory per block in addition to the
/// kernel's declarations.
public record LaunchShape(int gridX, int gridY, int gridZ, int blockX, int blockY, int blockZ, int sharedBytes) {}
