/// Jobs that fail, receive signals, are killed, or restart: the report names the failed rank. No file or
/// process remains, and other users have no access.
package org.tutti.e2e.failure;
