/// The contract: what holds for every operation, whichever engine runs it.
///
///     ContractTest (JUnit) ──Tutti.local──▶ ContractRun ──▶ contract.*Contract
///         └──tutti run …──▶ ContractMain ──┘   (a program; a JVM per rank runs all contracts)
///
/// `ContractTest` is in tutti-e2e. A job runs the contracts one after the other with a barrier between them; the
/// first one that fails ends it, because ranks that disagree about where they are can prove nothing more. By
/// hand,
/// after `./mvnw package`:
///
///     ./tutti run -n 4 -cp test/conformance/target/classes org.tutti.conformance.ContractMain \
///         [--seed S] [NAME-PART …]
@NullMarked
package org.tutti.conformance;

import org.jspecify.annotations.NullMarked;
