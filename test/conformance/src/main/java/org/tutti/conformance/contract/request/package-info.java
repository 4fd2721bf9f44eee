/// Requests: a started operation returns immediately, and is complete when a wait or a test returns so, not
/// before; a persistent or partitioned operation can be started repeatedly. Waits for any, some or all requests
/// return each completion once. A request is also a stage of a computation, for which no thread needs to wait.
/// MPI 4.1, sections 3.7 to 3.10 and chapter 4.
@NullMarked
package org.tutti.conformance.contract.request;

import org.jspecify.annotations.NullMarked;
