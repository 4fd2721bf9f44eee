/// Converts JSON to values that are sent between ranks, and back.
///
///     JsonTypes ── of a Java type ──▶ JsonType: read, schema        JsonValues: any value ──▶ JSON
///
/// Rules: a type is known before a body is read, and only declared types can result: records are created by the
/// canonical constructor, and a body cannot name a class. The length of a body is limited before it is parsed;
/// the parser limits depth and digits. This package does not depend on HTTP or on jobs.
@NullMarked
package org.tutti.serve.json;

import org.jspecify.annotations.NullMarked;
