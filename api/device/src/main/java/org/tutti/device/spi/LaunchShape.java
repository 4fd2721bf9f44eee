package org.tutti.device.spi;

/// How many blocks of how many threads a kernel is launched on, and how many bytes each block shares on
/// top of what the kernel declares.
public record LaunchShape(int gridX, int gridY, int gridZ, int blockX, int blockY, int blockZ, int sharedBytes) {}
