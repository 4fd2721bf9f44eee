/// Requests by HTTP, and who may make them.
///
///     HttpListener ──▶ HttpConnection: RequestHead, RequestBody ──▶ ClientExchange
///          └── ConnectionTable: limits per peer, deadlines ── LocalUsers
///     WebServer ──▶ RequestGuard ── whose request it is ──▶ RouteTable ──▶ JobRequests, ServiceDocuments
///                       └── ServiceTokens                       └── EventStream
///
/// Rules: every route is a row of the table, with the role that it takes, and what is no row is refused. No
/// text of a request becomes a path of a file, an address or a header. A reader that does not read is cut.
@NullMarked
package org.tutti.serve.web;

import org.jspecify.annotations.NullMarked;
