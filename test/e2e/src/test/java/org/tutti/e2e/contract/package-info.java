/// Runs the contracts of tutti-conformance on every engine and number of ranks, as threads and as processes.
///
///     ContractTest ──▶ ContractJob: ThreadJob, in this JVM, or ProcessJob, by `tutti run`
///                          └──▶ Times: the duration of each contract
///     LibraryCheck ──▶ the same over other MPI libraries: a program, which src/test/sh/other-libraries starts
package org.tutti.e2e.contract;
