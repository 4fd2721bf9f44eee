/// Locates and loads the machine's MPI library, and protects the JVM from it.
///
///     Candidates ──names──▶ Library (load, identify, promote) ◀──guards── SignalGuard (org.tutti.job)
///         by override, launcher                 └──▶ LibC: dlopen, dlerror, setenv, sigaction
///     PmiFinalization: the end, for libraries that may hang in MPI_Finalize
///
/// Rules: handlers are saved and the environment is set before any library is loaded, because UCX up to 1.19
/// replaces HotSpot's handlers in the library constructor, and the next null check would end the process. A
/// library is identified by symbols, never by the file name. It is never unloaded.
///
/// The directories of macOS package managers and Windows (`msmpi.dll`, `impi.dll`) are not supported yet.
@NullMarked
package org.tutti.libmpi.boot;

import org.jspecify.annotations.NullMarked;
