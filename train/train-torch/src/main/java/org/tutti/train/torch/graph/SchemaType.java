package org.tutti.train.torch.graph;

/// The type of an operator's parameter, from text such as `Tensor?[]` or `SymInt[]?`.
///
/// @param element the type without list and optional: `Tensor`, `int`, `SymInt`, `float`, `bool`, `Scalar` …
record SchemaType(String element, boolean isList, boolean isOptional) {
    static SchemaType of(String text) {
        boolean isOptional = text.endsWith("?");
        String of = isOptional ? text.substring(0, text.length() - 1) : text;
        boolean isList = of.endsWith("[]");
        if (isList) of = of.substring(0, of.length() - 2);
        if (isList && of.endsWith("?")) of = of.substring(0, of.length() - 1);
        return new SchemaType(of, isList, isOptional);
    }

    boolean isTensor() {
        return element.equals("Tensor");
    }

    boolean isInteger() {
        return element.equals("int") || element.equals("SymInt");
    }

    boolean isReal() {
        return element.equals("float") || element.equals("SymFloat");
    }

    boolean isTruth() {
        return element.equals("bool") || element.equals("SymBool");
    }

    /// Whether a number of any type is accepted.
    boolean isScalar() {
        return element.equals("Scalar");
    }

    /// For a message.
    @Override
    public String toString() {
        return (isList ? "a list of " : "") + element + (isOptional ? " or None" : "");
    }
}
