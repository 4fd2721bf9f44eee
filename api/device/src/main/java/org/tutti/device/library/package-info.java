/// Libraries of C that are loaded when they are there: where they are looked for, and what the loader
/// said.
///
///     backend ──LibrarySearch──▶ DynamicLibrary ──▶ Loader: dlopen, dlsym, dlerror
///     JvmSignals: the JVM's handlers of signals, behind libraries that take them
///
/// Rules: looks for no library by a name of its own. Whatever was tried is remembered, for the
/// error of a program and for `tutti doctor gpu`.
@NullMarked
package org.tutti.device.library;

import org.jspecify.annotations.NullMarked;
