package org.tutti.device.library;

import java.util.List;

/// The locations that are searched for a library. The backend defines them. [DynamicLibrary#find] searches the
/// locations in the order of the parameters below.
///
/// @param property a system property with the path of the library; if set, no other location is searched
/// @param names file names for the system's loader, for example `libOpenCL.so.1`; also searched for in the
///     directories
/// @param homes environment variables with a directory; the subdirectories `lib64` and `lib` are searched
/// @param directories further directories; `*` in a name matches any text, and matches are searched in
///     descending order
/// @param packages paths below `site-packages` of the user's active Python
public record LibrarySearch(
        String property, List<String> names, List<String> homes, List<String> directories, List<String> packages) {
    public LibrarySearch {
        names = List.copyOf(names);
        homes = List.copyOf(homes);
        directories = List.copyOf(directories);
        packages = List.copyOf(packages);
    }

    /// Creates a search for a library that only the system's loader can find.
    public LibrarySearch(String property, List<String> names) {
        this(property, names, List.of(), List.of(), List.of());
    }
}
