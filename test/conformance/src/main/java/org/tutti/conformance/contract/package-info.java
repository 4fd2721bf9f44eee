/// One class per operation or subject, in a package per chapter of the standard. The methods are facts,
/// executed by every rank of a job.
///
///     environment   identity and location, threads, wrong arguments           chapters 9 and 11
///     message       sends, receives and probes                                chapter 3
///     request       nonblocking, persistent and partitioned operations        chapters 3 and 4
///     type          derived types, fields, records, packs                     chapter 5
///     collective    operations of all ranks of a group                        chapter 6
///     comm          groups, communicators and attributes                      chapter 7
///                   and sessions in addition to the rank's world              section 11.3
///     intercomm     communicators of two groups                               chapters 6 and 7
///     topology      grids, graphs and their neighbors                         chapter 8
///     window        memory for puts and gets of other ranks                   chapter 12
///     file          files that ranks read and write together                  chapter 14
///     object        Java values as messages, which the standard does not have
///
/// Rules: only the user API, no engine's name outside of [org.tutti.conformance.trial.Contract#engine]; every
/// rank runs the same methods in the same order; a method leaves no message and no request. A package uses no
/// other package of contracts: common code is in [org.tutti.conformance.trial]. A package with records or enums
/// that are sent is opened to `org.tutti.mpi` in `module-info.java`; a new class is added to the list
/// `Contracts`, which defines the order.
///
/// Not included: processes that are started, ports, and sessions before and after the rank's world (chapter
/// 11), because these need separate jobs; `ChildrenTest` and `SessionTest` start these jobs.
@NullMarked
package org.tutti.conformance.contract;

import org.jspecify.annotations.NullMarked;
