package org.tutti.device;

/// One thread of a kernel launch on the host: the thread for which the [HostKernel] currently runs.
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

    /// Returns `blockIdx.x * blockDim.x + threadIdx.x`.
    public int x() {
        return blockX * block.x() + threadX;
    }

    /// Like [#x], in the second dimension.
    public int y() {
        return blockY * block.y() + threadY;
    }

    /// Like [#x], in the third dimension.
    public int z() {
        return blockZ * block.z() + threadZ;
    }

    /// Returns `gridDim`.
    public Dim grid() {
        return grid;
    }

    /// Returns `blockDim`.
    public Dim block() {
        return block;
    }

    /// Returns `blockIdx.x`.
    public int blockX() {
        return blockX;
    }

    /// Returns `threadIdx.x`.
    public int threadX() {
        return threadX;
    }
}
