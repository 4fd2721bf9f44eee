/// Generates a static site from the documents and the Javadoc. Not published.
module org.tutti.site {
    requires org.commonmark;
    requires org.commonmark.ext.gfm.tables;
    requires org.commonmark.ext.heading.anchor;
    requires static transitive org.jspecify;
}
