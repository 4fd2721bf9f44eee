/// One class per operation or subject, and one package per chapter of the standard. Each method tests one fact
/// and is executed by every rank of a job.
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
/// Rules: contracts use only the user API and name no engine, except in
/// [org.tutti.conformance.trial.Contract#engine]. Every rank runs the same methods in the same order. At the
/// end of a method no message and no request is pending. A package does not use other packages of contracts:
/// common code is in [org.tutti.conformance.trial]. A package with records or enums that are sent is opened to
/// `org.tutti.mpi` in `module-info.java`. A new class is added to the list in `Contracts`, which defines the
/// order.
///
/// Not included: spawned processes, connections between jobs, and sessions before and after the rank's world
/// (chapter 11). They need separate jobs, which `ChildrenTest` and `SessionTest` start.
@NullMarked
package org.tutti.conformance.contract;

import org.jspecify.annotations.NullMarked;
