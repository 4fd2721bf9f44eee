package org.tutti.mpi;

/// A class of errors that a library made for its own; see [ErrorClass#of].
public final class UserErrorClass implements ErrorClass {
    private static final long serialVersionUID = 1;

    private final String name;

    UserErrorClass(String name) {
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String toString() {
        return name;
    }
}
