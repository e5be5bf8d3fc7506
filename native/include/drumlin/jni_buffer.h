/*
 * What only JNI can do: from memory to a ByteBuffer and back, and into arrays. For the glue that JavaCPP generates; C++, not part of the
 * C interface.
 */
#ifndef DRUMLIN_JNI_BUFFER_H
#define DRUMLIN_JNI_BUFFER_H

#include "drumlin/core.h"

#include <jni.h>

/* A direct ByteBuffer over memory that must outlive it. NULL, with an exception pending, where there is none. */
static inline jobject drumlin_jni_view(JNIEnv *env, jclass, jlong address, jlong length)
{
    return env->NewDirectByteBuffer((void *)address, length);
}

/*
 * Copies memory into a primitive array, from a byte of its elements on. Meanwhile the virtual machine may have to wait with
 * collecting garbage. An exception is pending where it gives no way to the elements.
 */
static inline void drumlin_jni_copy_in(JNIEnv *env, jclass, jobject array, jlong offset, jlong source, jlong length)
{
    char *elements = (char *)env->GetPrimitiveArrayCritical((jarray)array, NULL);
    if (elements) {
        drumlin_memory_copy(elements + offset, (const void *)source, length);
        env->ReleasePrimitiveArrayCritical((jarray)array, elements, 0);
    }
}

/* The other way. */
static inline void drumlin_jni_copy_out(JNIEnv *env, jclass, jobject array, jlong offset, jlong target, jlong length)
{
    char *elements = (char *)env->GetPrimitiveArrayCritical((jarray)array, NULL);
    if (elements) {
        drumlin_memory_copy((void *)target, elements + offset, length);
        env->ReleasePrimitiveArrayCritical((jarray)array, elements, JNI_ABORT);
    }
}

/* The address of a direct buffer's element 0; 0 for any other buffer. */
static inline jlong drumlin_jni_address(JNIEnv *env, jclass, jobject buffer)
{
    return (jlong)env->GetDirectBufferAddress(buffer);
}

/* A field of an object, which the caller can do without: NULL where it has no such field, or nothing in it. */
static inline jobject drumlin_jni_field(JNIEnv *env, jobject object, const char *name, const char *type, bool *known)
{
    jfieldID field = env->GetFieldID(env->GetObjectClass(object), name, type);
    *known = field != NULL;
    if (field)
        return env->GetObjectField(object, field);
    env->ExceptionClear();
    return NULL;
}

/*
 * The field in which a buffer has its memory segment; NULL where there is none. It is looked up once: a look-up that fails makes an
 * exception with its stack trace, and JDK 17 has the second type only.
 */
static inline jfieldID drumlin_jni_segment_field(JNIEnv *env, jobject buffer)
{
    static jfieldID found;
    jfieldID field = __atomic_load_n(&found, __ATOMIC_RELAXED);
    if (field)
        return field;
    static const char *const types[] = {
        "Ljava/lang/foreign/MemorySegment;",
        "Ljdk/internal/access/foreign/MemorySegmentProxy;",
    };
    for (int i = 0; i < 2 && !field; i++) {
        field = env->GetFieldID(env->GetObjectClass(buffer), "segment", types[i]);
        if (!field)
            env->ExceptionClear();
    }
    __atomic_store_n(&found, field, __ATOMIC_RELAXED);
    return field;
}

/* Whether the buffer is no part of a memory segment, which may be closed. */
static inline bool drumlin_jni_is_of_no_segment(JNIEnv *env, jobject buffer)
{
    jfieldID field = drumlin_jni_segment_field(env, buffer);
    return field && !env->GetObjectField(buffer, field);
}

/*
 * Whether the memory of a direct buffer stays as long as the buffer is there, whatever the program does: it is no segment, which may be
 * closed, and no mapped file, which may become shorter. No when the virtual machine is of a kind that keeps these things elsewhere.
 */
static inline jboolean drumlin_jni_is_lasting(JNIEnv *env, jclass, jobject buffer)
{
    bool known;
    if (env->PushLocalFrame(16) != 0) {
        env->ExceptionClear();
        return JNI_FALSE;
    }
    jobject bytes = buffer;
    jclass byte_buffer = env->FindClass("java/nio/MappedByteBuffer");
    /* Doubles and the like are a view of bytes. */
    if (byte_buffer && !env->IsInstanceOf(buffer, byte_buffer))
        bytes = drumlin_jni_field(env, buffer, "att", "Ljava/lang/Object;", &known);
    bool lasting = byte_buffer && bytes && env->IsInstanceOf(bytes, byte_buffer) && drumlin_jni_is_of_no_segment(env, buffer);
    if (lasting) {
        jobject file = drumlin_jni_field(env, bytes, "fd", "Ljava/io/FileDescriptor;", &known);
        lasting = known && !file;
    }
    if (env->ExceptionCheck())
        env->ExceptionClear();
    env->PopLocalFrame(NULL);
    return lasting;
}

#endif
