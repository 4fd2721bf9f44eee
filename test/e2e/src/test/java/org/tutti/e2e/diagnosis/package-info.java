/// Reports about programs that are wrong, slow or stopped: the rank, the call and the source line. A correct
/// program causes no report.
package org.tutti.e2e.diagnosis;
