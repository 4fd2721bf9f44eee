/// From JSON to values that travel between ranks, and back.
///
///     JsonTypes ── of a Java type ──▶ JsonType: read, schema        JsonValues: any value ──▶ JSON
///
/// Rules: a type is known before a body is read, and only what it declares can come out: records are built
/// by their canonical constructors, no class is named by a body. What a body may be is bounded before it is
/// looked at (depth, digits, length). Nothing here knows of HTTP or of jobs.
@NullMarked
package org.tutti.serve.json;

import org.jspecify.annotations.NullMarked;
