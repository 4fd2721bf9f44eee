/// Programs for the API of Open MPI's Java bindings or of MPJ Express, compiled against stubs of the API and
/// run with the drop-in.
package org.tutti.e2e.dropin;
