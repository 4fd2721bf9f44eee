/// Libraries of C that are loaded when they are there: where they are looked for, and what the loader
/// said.
///
///     backend ──LibrarySearch──▶ DynamicLibrary ──▶ Loader: dlopen, dlsym, dlerror
///
/// Rules: knows no library by name. Whatever was tried is remembered, for the error of a program and for
/// `tutti doctor gpu`.
@NullMarked
package org.tutti.device.library;

import org.jspecify.annotations.NullMarked;
