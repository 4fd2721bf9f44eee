package org.tutti.serve.web;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What requests there are: path and method, and what a token must allow. All else is refused.
final class RouteTable {
    /// Answers a request of a route.
    @FunctionalInterface
    interface Handler {
        void handle(ServiceRequest request) throws IOException, InterruptedException;
    }

    /// @param path segments; `{id}` stands for any one
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

        /// What stands where the path has its parameter; empty when it has none.
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

    /// Of a path as the request has it: nothing in it is decoded, so nothing can hide.
    static List<String> segments(String path) {
        return List.of(path.substring(path.startsWith("/") ? 1 : 0).split("/", -1));
    }

    Optional<Route> find(String method, List<String> segments) {
        return routes.stream()
                .filter(r -> r.method.equals(method) && r.matches(segments))
                .findFirst();
    }

    /// The methods that a path has.
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
