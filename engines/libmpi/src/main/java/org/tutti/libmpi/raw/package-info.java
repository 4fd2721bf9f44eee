/// The functions of `mpi.h`, each as a static method, with the C name and the C arguments, as in the man pages.
/// A handle is a `long`, regardless of the width in C. The methods return the C error code.
///
///     engine ──▶ PointToPoint, Collectives, Communicators, … ──MethodHandle──▶ libmpi
///                   └──▶ Constants (`#define` and `extern` in C)
///
/// All classes except `Link` and `Constants` are generated when Tutti is built, from the prototypes in
/// `src/main/mpi/functions.txt`. To add a function, add a row there.
///
/// Rules: the classes are initialized only after a library has been loaded. A function is linked on the first
/// call, by a class inside the method, because linking costs milliseconds and about ten generated classes, and
/// a program calls few functions. A function that the library lacks throws when called; the message names the
/// function and the library. `critical` is only for calls that read local state: a thread inside a critical
/// call delays garbage collection.
@NullMarked
package org.tutti.libmpi.raw;

import org.jspecify.annotations.NullMarked;
