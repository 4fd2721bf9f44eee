package org.tutti.device.nccl;

import java.util.List;
import java.util.function.Function;
import org.tutti.device.library.DynamicLibrary;
import org.tutti.device.library.LibrarySearch;
import org.tutti.device.library.VendorSetting;

/// NCCL, for devices of the kind `cuda`.
public final class NcclCollectives extends NcclLibrary {
    private static final LibrarySearch SEARCH = new LibrarySearch(
            "tutti.device.lib.nccl",
            List.of("libnccl.so.2"),
            List.of("NCCL_HOME", "CUDA_HOME", "CUDA_PATH"),
            List.of("/usr/local/cuda*/lib64"),
            List.of("nvidia/nccl/lib/libnccl.so.2"));

    public NcclCollectives() {
        this(DynamicLibrary::find, VendorSetting::of);
    }

    NcclCollectives(Function<LibrarySearch, DynamicLibrary> loader, Function<String, String> environment) {
        super("cuda", SEARCH, loader, environment);
    }

    @Override
    public String name() {
        return "nccl";
    }
}
