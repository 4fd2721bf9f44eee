/// What the documents promise: examples print what their comments say, snippets compile.
package org.tutti.testkit.e2e.document;
