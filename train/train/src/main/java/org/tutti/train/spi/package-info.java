/// For implementers of process groups (`org.tutti.train.ProcessGroup`): the part of a group that only the
/// library calls.
///
/// Depends on no other package of this module.
@NullMarked
package org.tutti.train.spi;

import org.jspecify.annotations.NullMarked;
