/// The contents of the documents: examples print the output in the comments, and snippets compile.
package org.tutti.e2e.document;
