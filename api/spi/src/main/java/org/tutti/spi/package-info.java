/// What an engine must do: the only door between the user API and the engines.
///
///     Comm, Request (org.tutti.mpi) ──fill in──▶ Transfer | Collective ──start, test, await, run──▶ Engine
///
/// An [org.tutti.spi.Activity] is a prepared piece of communication: blank from the engine, filled in
/// by the caller, started, completed, and then used again. Blocking calls `run` one, nonblocking calls
/// `start` one, persistent requests start the same one many times. That keeps the door at about ten
/// verbs, and the message path free of allocation. What goes wrong below it is a [org.tutti.spi.Fault].
///
/// Rules: arguments were checked above this door, once; an engine does not check them again. An engine
/// never prints. Everything here may be called by any thread, an `Activity` by one thread at a time.
///
/// An engine is never wrapped. Whoever wants to see what passes is an [org.tutti.spi.Observer], which the
/// caller tells. What only some engines can do is a [org.tutti.spi.Power], which the caller asks for.
///
/// [org.tutti.spi.Spawner] is a door of its own, to a launcher: ranks as processes of a running
/// program.
///
/// [org.tutti.spi.Windows] is such a power: one-sided communication. [org.tutti.spi.Spawning] is another: new
/// processes that talk to those that start them, or [org.tutti.spi.LibrarySpawning] where a library starts them; and
/// [org.tutti.spi.NameService], by which worlds find each other. [org.tutti.spi.ConnectionMemory] is where groups of
/// different jobs meet, with an engine of its own.
///
/// Files (14) are no engine's: they are made of collective calls and a window. Nor are sessions (11.3), which are
/// views of the one engine that a process has.
@NullMarked
package org.tutti.spi;

import org.jspecify.annotations.NullMarked;
