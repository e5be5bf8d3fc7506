package io.drumlin.checkpoint;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The length of an array in a record that {@link RecordLayout} maps to a C struct. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Dimensions {

    /**
     * Returns the dimensions of the array in C. The array in Java has one dimension and all elements, with the last
     * index of C varying fastest.
     *
     * @return 1 to 32 numbers above 0
     */
    int[] value();
}
