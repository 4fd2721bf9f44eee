/// Requests: a call that is begun returns at once, is complete when a wait or a test says so, and not before;
/// one
/// that is persistent or in parts is begun again and again. Whoever waits for any, some or all of them gets each
/// end once. A request is also a stage of a computation, which nobody need wait for. MPI 4.1, sections 3.7 to
/// 3.10
/// and chapter 4.
@NullMarked
package org.tutti.conformance.contract.request;

import org.jspecify.annotations.NullMarked;
