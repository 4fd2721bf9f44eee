package org.tutti.serve.web;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The requests of the service: path, method and required role. All other requests are refused.
final class RouteTable {
    /// Answers a request of a route.
    @FunctionalInterface
    interface Handler {
        void handle(ServiceRequest request) throws IOException, InterruptedException;
    }

    /// @param path segments; `{id}` matches any segment
    record Route(String method, List<String> path, ServiceRole role, Handler handler) {
        boolean matches(List<String> segments) {
            if (segments.size() != path.size()) return false;
            for (int i = 0; i < path.size(); i++) {
                String segment = segments.get(i);
                if (isParameter(i) ? segment.isEmpty() : !path.get(i).equals(segment)) return false;
            }
            return true;
        }

        private boolean isParameter(int segment) {
            return path.get(segment).startsWith("{");
        }

        /// Returns the segment at the position of the route's parameter; empty if the route has no parameter.
        String parameter(List<String> segments) {
            for (int i = 0; i < path.size(); i++) if (isParameter(i)) return segments.get(i);
            return "";
        }

        String text() {
            return "/" + String.join("/", path);
        }
    }

    private final List<Route> routes = new ArrayList<>();

    RouteTable add(String method, String path, ServiceRole role, Handler handler) {
        routes.add(new Route(method, segments(path), role, handler));
        return this;
    }

    /// Returns the segments of a path as sent. Segments are not decoded, so that an encoded slash remains a
    /// part of its segment.
    static List<String> segments(String path) {
        return List.of(path.substring(path.startsWith("/") ? 1 : 0).split("/", -1));
    }

    Optional<Route> find(String method, List<String> segments) {
        return routes.stream()
                .filter(r -> r.method.equals(method) && r.matches(segments))
                .findFirst();
    }

    /// Returns the methods of a path.
    List<String> methods(List<String> segments) {
        return routes.stream()
                .filter(r -> r.matches(segments))
                .map(Route::method)
                .toList();
    }

    List<Route> routes() {
        return List.copyOf(routes);
    }
}
