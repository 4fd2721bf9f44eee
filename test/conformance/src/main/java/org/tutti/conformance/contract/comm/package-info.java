/// Groups and communicators: members and rank order, creation by all or some ranks, comparison, names,
/// attributes and close. Messages match only in the same communicator. MPI 4.1, chapter 7.
///
/// Sessions that are open in addition to the rank's world (section 11.3) create communicators, too.
@NullMarked
package org.tutti.conformance.contract.comm;

import org.jspecify.annotations.NullMarked;
