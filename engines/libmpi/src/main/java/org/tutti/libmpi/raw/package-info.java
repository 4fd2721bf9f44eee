/// The functions of `mpi.h`, one static method each, with the C name and the C arguments: a man page can
/// be read beside them. A handle is a `long` whatever its width in C; a result is the C error code.
///
///     engine ──▶ PointToPoint, Collectives, Communicators, … ──MethodHandle──▶ libmpi
///                   └──▶ Constants (what `#define` and `extern` give in C)
///
/// All but `Link` and `Constants` is made when Tutti is built, out of the prototypes in `src/main/mpi/functions.txt`: a
/// new function is a row there.
///
/// Rules: classes here are initialised only after a library was loaded. A function is linked when it is first
/// called, by a class inside its method, because linking it costs milliseconds and some ten classes made at
/// run time, and a program calls a few of them. A function that the library lacks throws when called, naming
/// itself and the library. `critical` only for calls that read local state: a thread inside a critical call
/// stalls every collection of garbage.
@NullMarked
package org.tutti.libmpi.raw;

import org.jspecify.annotations.NullMarked;
