/// Curves in SVG and PNG files.
module org.tutti.chart {
    requires static java.desktop; // only for PNG files
    requires static transitive org.jspecify;

    exports org.tutti.chart;
}
