/// Curves in SVG and PNG files.
module org.tutti.chart {
    requires static java.desktop; // PNG files alone
    requires static transitive org.jspecify;

    exports org.tutti.chart;
}
