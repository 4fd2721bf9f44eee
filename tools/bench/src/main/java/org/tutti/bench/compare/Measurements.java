package org.tutti.bench.compare;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// All values: one per point, contender and launch; NaN for a missing value.
final class Measurements {
    private final int launches;
    private final Map<Point, Map<Contender, double[]>> values = new LinkedHashMap<>();

    Measurements(int launches) {
        this.launches = launches;
    }

    int launches() {
        return launches;
    }

    void add(Point point, Contender contender, int launch, double value) {
        double[] row = values.computeIfAbsent(point, p -> new LinkedHashMap<>()).computeIfAbsent(contender, c -> {
            double[] empty = new double[launches];
            Arrays.fill(empty, Double.NaN);
            return empty;
        });
        row[launch] = value;
    }

    /// Returns the points in the order of the tests.
    List<Point> points() {
        List<Point> points = new ArrayList<>(values.keySet());
        points.sort(java.util.Comparator.comparing(Point::test)
                .thenComparingInt(Point::ranks)
                .thenComparingLong(Point::bytes));
        return points;
    }

    Map<Contender, double[]> of(Point point) {
        return values.getOrDefault(point, Map.of());
    }
}
