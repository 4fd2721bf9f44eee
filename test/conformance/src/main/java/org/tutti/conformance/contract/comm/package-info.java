/// Groups and communicators: who is in one, in which order; how they are made by all or by some, compared,
/// named and
/// closed; what a program keeps at them. Messages in one communicator are never received in another.
/// MPI 4.1, chapter 7. Sessions beside the rank's own world (section 11.3) make communicators, too.
@NullMarked
package org.tutti.conformance.contract.comm;

import org.jspecify.annotations.NullMarked;
