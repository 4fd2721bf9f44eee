/// Intercommunicators: creation and merge, messages and collective calls. The rank arguments always refer to
/// the remote group. MPI 4.1, sections 6.2.3, 7.4 and 7.6.
///
/// [TwoGroups] creates intercommunicators in several shapes. In some shapes, some ranks are in neither group.
@NullMarked
package org.tutti.conformance.contract.intercomm;

import org.jspecify.annotations.NullMarked;
