/// Finds the machine's MPI library, loads it, and keeps it from harming the JVM.
///
///     Candidates ──names──▶ Library (load, identify, promote) ◀──guards── SignalGuard (org.tutti.job)
///         by override, launcher                 └──▶ LibC: dlopen, dlerror, setenv, sigaction
///     PmiFarewell: the end, for libraries that cannot end by themselves
///
/// Rules: nothing is loaded before the handlers are saved and the environment is set, because UCX up to 1.19
/// replaces HotSpot's handlers from its library constructor, and the first null check afterwards would end
/// the process. A library is told by its symbols, never by its file's name. It is never unloaded.
///
/// Not here yet: the directories of macOS's package managers, Windows (`msmpi.dll`, `impi.dll`).
@NullMarked
package org.tutti.libmpi.boot;

import org.jspecify.annotations.NullMarked;
