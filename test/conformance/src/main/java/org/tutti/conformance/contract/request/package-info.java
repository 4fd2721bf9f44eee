/// Requests: a call that starts an operation returns immediately, and the operation is complete only when a
/// wait or a test reports completion. Persistent and partitioned operations can be started repeatedly. Waits
/// for any, some or all requests return each completion once. A request is also a stage of an asynchronous
/// computation, which needs no waiting thread. MPI 4.1, sections 3.7 to 3.10 and chapter 4.
@NullMarked
package org.tutti.conformance.contract.request;

import org.jspecify.annotations.NullMarked;
