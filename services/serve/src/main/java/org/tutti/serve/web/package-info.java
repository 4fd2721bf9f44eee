/// HTTP requests and permissions.
///
///     HttpListener ──▶ HttpConnection: RequestHead, RequestBody ──▶ ClientExchange
///          └── ConnectionTable: limits per peer, deadlines ── LocalUsers
///     WebServer ──▶ RequestGuard ── permitted origin ──▶ RouteTable ──▶ JobRequests, ServiceDocuments
///                       └── ServiceTokens                    └── EventStream
///
/// Rules: every route is a row of the table, with the required role; all other requests are refused. No text of
/// a request becomes a file path, an address or a header. A client that does not read is disconnected.
@NullMarked
package org.tutti.serve.web;

import org.jspecify.annotations.NullMarked;
