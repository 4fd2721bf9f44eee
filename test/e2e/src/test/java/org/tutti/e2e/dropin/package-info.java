/// Programs written to the API of Open MPI's Java bindings, or of MPJ Express, compiled against stubs of its
/// table and
/// run with the drop-in.
package org.tutti.e2e.dropin;
