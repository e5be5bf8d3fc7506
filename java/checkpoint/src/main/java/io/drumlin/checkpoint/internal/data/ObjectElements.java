package io.drumlin.checkpoint.internal.data;

import io.drumlin.checkpoint.ElementType;
import io.drumlin.checkpoint.internal.object.ObjectBytes;
import io.drumlin.checkpoint.internal.object.ObjectForm;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The bytes of an object. They are made once for each checkpoint, because digests, partner copies and codes read them at
 * several places at a time.
 *
 * @param <T> the object
 */
final class ObjectElements<T> extends Elements {

    private final Supplier<? extends T> supplier;
    private final Consumer<? super T> consumer;
    private final ObjectForm<T> form;
    private ObjectBytes bytes = new ObjectBytes();

    ObjectElements(Supplier<? extends T> supplier, Consumer<? super T> consumer, ObjectForm<T> form) {
        super(ElementType.CHAR, 0);
        this.supplier = supplier;
        this.consumer = consumer;
        this.form = form;
    }

    @Override
    long count() {
        return bytes.size();
    }

    @Override
    boolean hasAnySize() {
        return true;
    }

    @Override
    void prepare() {
        T value = supplier.get();
        if (value == null) {
            throw new IllegalStateException("the supplier has returned null");
        }
        form.encode(value, bytes);
    }

    @Override
    void expect(long stored) {
        // Bytes that were copied in while the file was verified stay.
        if (bytes.size() != stored) {
            bytes = ObjectBytes.ofSize(stored);
        }
    }

    @Override
    void copyOut(long offset, ByteBuffer target) {
        bytes.copyOut(offset, target);
    }

    @Override
    void copyIn(long offset, ByteBuffer source) {
        bytes.copyIn(offset, source);
    }

    /** Decodes the object and gives it to the program. */
    @Override
    Optional<String> problemOfRecovery() {
        try {
            consumer.accept(form.decode(bytes));
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }
}
