package org.tutti.device.nccl;

import java.util.List;
import org.tutti.device.library.DynamicLibrary;
import org.tutti.device.library.LibrarySearch;
import org.tutti.device.library.VendorSetting;

/// RCCL, for devices of the kind `hip`.
public final class RcclCollectives extends NcclLibrary {
    private static final LibrarySearch SEARCH = new LibrarySearch(
            "tutti.device.lib.rccl",
            List.of("librccl.so.1"),
            List.of("ROCM_PATH"),
            List.of("/opt/rocm*/lib"),
            List.of());

    public RcclCollectives() {
        super("hip", SEARCH, DynamicLibrary::find, VendorSetting::of);
    }

    @Override
    public String name() {
        return "rccl";
    }
}
