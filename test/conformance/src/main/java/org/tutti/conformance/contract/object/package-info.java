/// Messages and collective calls with Java objects: the received object equals the sent object, for every depth
/// and size, in every call that accepts objects. If an object cannot be sent or read, only that call fails;
/// later objects arrive.
@NullMarked
package org.tutti.conformance.contract.object;

import org.jspecify.annotations.NullMarked;
