package org.tutti.libmpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.tutti.coll.window.SharedWindow;
import org.tutti.coll.window.WindowRanks;
import org.tutti.spi.Engine;

/// A window of ranks on one machine, in memory that the library maps for all ranks. Accesses do not call the
/// library, so no rank must make progress, and missing or faulty functions of the library do not matter.
final class MappedWindow extends SharedWindow {
    private final NativeWindows windows;
    private final LibraryWindow library;

    MappedWindow(Engine engine, WindowRanks ranks, Parts parts, NativeWindows windows, LibraryWindow library) {
        super(engine, ranks, parts);
        this.windows = windows;
        this.library = library;
    }

    @Override
    protected void checkJob() {
        windows.checkJob();
    }

    @Override
    protected MemorySegment view(MemorySegment memory, Arena life) {
        return MemorySegment.ofAddress(memory.address()).reinterpret(memory.byteSize(), life, null);
    }

    @Override
    protected void closed() {
        windows.closed(library);
    }
}
