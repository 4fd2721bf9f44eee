package org.tutti.device.library;

import java.util.List;

/// Where a library may be, said by the backend that needs it. [DynamicLibrary#find] looks at all of it in
/// this order.
///
/// @param property a system property with the path of the library: then nothing else is looked at
/// @param names for the system's loader, as `libOpenCL.so.1`; these names are looked for in the
///     directories, too
/// @param homes environment variables that name a directory, in whose `lib64` and `lib` it may be
/// @param directories others; a `*` in a name stands for anything, of what matches the last in order
///     comes first
/// @param packages paths below the `site-packages` of the Python that the user has active
public record LibrarySearch(
        String property, List<String> names, List<String> homes, List<String> directories, List<String> packages) {
    public LibrarySearch {
        names = List.copyOf(names);
        homes = List.copyOf(homes);
        directories = List.copyOf(directories);
        packages = List.copyOf(packages);
    }

    /// One that is nowhere but where the system's loader looks.
    public LibrarySearch(String property, List<String> names) {
        this(property, names, List.of(), List.of(), List.of());
    }
}
