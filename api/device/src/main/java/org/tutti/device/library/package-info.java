/// Optional C libraries: search locations and the loader's messages.
///
///     backend ──LibrarySearch──▶ DynamicLibrary ──▶ Loader: dlopen, dlsym, dlerror
///     JvmSignals: restores the JVM's signal handlers after calls of libraries
///
/// Rules: this package contains no library names. All attempts are recorded, for error messages of programs and
/// for `tutti doctor gpu`.
@NullMarked
package org.tutti.device.library;

import org.jspecify.annotations.NullMarked;
