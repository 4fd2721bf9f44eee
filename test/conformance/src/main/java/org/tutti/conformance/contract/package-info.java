/// One class per operation or matter, in a room per chapter of the standard; its methods are facts, run by every
/// rank of a job.
///
///     environment   who and where a rank is, threads, wrong arguments        chapters 9 and 11
///     message       sends, receives and probes                               chapter 3
///     request       what is begun now and complete later                     chapters 3 and 4
///     type          derived types, fields, records, packs                    chapter 5
///     collective    what all ranks of a group do together                    chapter 6
///     comm          groups, communicators, and what is kept at them          chapter 7
///                   and sessions beside the rank's world                    section 11.3
///     intercomm     communicators of two groups                              chapters 6 and 7
///     topology      grids, graphs and their neighbors                        chapter 8
///     window        memory that others put to and get from                   chapter 12
///     file          files that ranks read and write together                 chapter 14
///     object        Java values as messages, which the standard has not got
///
/// Rules: the user API alone, no engine's name outside [org.tutti.conformance.trial.Contract#engine]; every rank
/// runs the same methods in the same order; a method leaves no message and no request behind. A room knows no
/// other
/// room: what two of them need is in [org.tutti.conformance.trial]. A room whose records or enums travel is
/// opened to
/// `org.tutti.mpi` in `module-info.java`; a new class goes into the list `Contracts`, which has the order.
///
/// Not here: processes that are started, ports, and sessions before and after the rank's world (chapter 11),
/// because
/// these need jobs of their own; `ChildrenTest` and `SessionTest` start them.
@NullMarked
package org.tutti.conformance.contract;

import org.jspecify.annotations.NullMarked;
