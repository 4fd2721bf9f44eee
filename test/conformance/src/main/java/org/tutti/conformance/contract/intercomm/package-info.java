/// Communicators of two groups: how they are made of one and become one; messages and collective calls, in
/// which a
/// rank always names a rank of the other group. MPI 4.1, sections 6.2.3, 7.4 and 7.6.
///
/// [TwoGroups] makes them in several shapes; in some of them there are ranks in neither group.
@NullMarked
package org.tutti.conformance.contract.intercomm;

import org.jspecify.annotations.NullMarked;
