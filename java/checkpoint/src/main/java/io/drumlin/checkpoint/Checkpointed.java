package io.drumlin.checkpoint;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a field whose value is stored in checkpoints after {@link Checkpoints#protectFields}. The field is either of a
 * primitive type and not final, or final with an array, a buffer or another object that {@link Checkpoints#protect(int,
 * Object)} takes.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface Checkpointed {}
