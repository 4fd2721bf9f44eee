/// The contracts: tests of the properties of every operation, on every engine.
///
///     ContractTest (JUnit) ──Tutti.local──▶ ContractRun ──▶ contract.*Contract
///         └──tutti run …──▶ ContractMain ──┘   (a program; a JVM per rank runs all contracts)
///
/// `ContractTest` is in tutti-e2e. A job runs the contracts one after another, with a barrier after each. The
/// first failure ends the job, because the ranks would be at different positions afterwards. To run contracts
/// by hand after `./mvnw package`:
///
///     ./tutti run -n 4 -cp test/conformance/target/classes org.tutti.conformance.ContractMain \
///         [--seed S] [NAME-PART …]
@NullMarked
package org.tutti.conformance;

import org.jspecify.annotations.NullMarked;
