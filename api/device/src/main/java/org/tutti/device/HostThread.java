package org.tutti.device;

/// Which thread of a launch a [HostKernel] is run for.
public final class HostThread {
    private final Dim grid;
    private final Dim block;
    private int blockX, blockY, blockZ, threadX, threadY, threadZ;

    HostThread(Dim grid, Dim block) {
        this.grid = grid;
        this.block = block;
    }

    /// Runs the kernel for every thread of the launch.
    void runAll(HostKernel kernel, HostArguments arguments) {
        for (blockZ = 0; blockZ < grid.z(); blockZ++) {
            for (blockY = 0; blockY < grid.y(); blockY++) {
                for (blockX = 0; blockX < grid.x(); blockX++) runBlock(kernel, arguments);
            }
        }
    }

    private void runBlock(HostKernel kernel, HostArguments arguments) {
        for (threadZ = 0; threadZ < block.z(); threadZ++) {
            for (threadY = 0; threadY < block.y(); threadY++) {
                for (threadX = 0; threadX < block.x(); threadX++) kernel.run(this, arguments);
            }
        }
    }

    /// `blockIdx.x * blockDim.x + threadIdx.x`.
    public int x() {
        return blockX * block.x() + threadX;
    }

    /// As [#x], in the second direction.
    public int y() {
        return blockY * block.y() + threadY;
    }

    /// As [#x], in the third direction.
    public int z() {
        return blockZ * block.z() + threadZ;
    }

    /// `gridDim`.
    public Dim grid() {
        return grid;
    }

    /// `blockDim`.
    public Dim block() {
        return block;
    }

    /// `blockIdx.x`.
    public int blockX() {
        return blockX;
    }

    /// `threadIdx.x`.
    public int threadX() {
        return threadX;
    }
}
