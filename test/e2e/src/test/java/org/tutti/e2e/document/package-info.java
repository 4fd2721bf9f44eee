/// What the documents promise: examples print what their comments say, snippets compile.
package org.tutti.e2e.document;
