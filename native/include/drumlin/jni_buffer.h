/*
 * What only JNI can do: from memory to a ByteBuffer and back, and into arrays. For the glue that JavaCPP generates;
 * C++, not part of the C interface.
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
 * Copies memory into a primitive array, from a byte of its elements on. Meanwhile the virtual machine may have to wait
 * with collecting garbage. An exception is pending if it gives no access to the elements.
 */
static inline void drumlin_jni_copy_in(JNIEnv *env, jclass, jobject array, jlong offset, jlong source, jlong length)
{
    char *elements = (char *)env->GetPrimitiveArrayCritical((jarray)array, NULL);
    if (elements) {
        drumlin_memory_copy(elements + offset, (const void *)source, length);
        env->ReleasePrimitiveArrayCritical((jarray)array, elements, 0);
    }
}

/* Copies out of a primitive array, from a byte of its elements on, into memory. Otherwise as drumlin_jni_copy_in. */
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

/*
 * After a look-up that found no field: forgets the exception for that, and no other. The virtual machine may make one
 * of memory that went away a moment ago, in whatever call comes next, and the program must see it.
 */
static inline void drumlin_jni_forget_no_field(JNIEnv *env)
{
    jthrowable pending = env->ExceptionOccurred();
    env->ExceptionClear();
    jclass no_field = env->FindClass("java/lang/NoSuchFieldError");
    if (pending && !(no_field && env->IsInstanceOf(pending, no_field)))
        env->Throw(pending);
}

/*
 * The field in which a buffer has its memory segment; NULL where there is none, or with an exception pending. It is
 * looked up once: a look-up that fails makes an exception with its stack trace, and JDK 17 has the second type only.
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
    for (int i = 0; i < 2 && !field && !env->ExceptionCheck(); i++) {
        field = env->GetFieldID(env->GetObjectClass(buffer), "segment", types[i]);
        if (!field)
            drumlin_jni_forget_no_field(env);
    }
    __atomic_store_n(&found, field, __ATOMIC_RELAXED);
    return field;
}

/* Whether the buffer is not part of a memory segment, which may be closed. False also with an exception pending. */
static inline bool drumlin_jni_is_of_no_segment(JNIEnv *env, jobject buffer)
{
    jfieldID field = drumlin_jni_segment_field(env, buffer);
    return field && !env->GetObjectField(buffer, field);
}

/* Reads a field of an object. False if there is no such field, and with an exception pending. */
static inline bool drumlin_jni_field(JNIEnv *env, jobject object, const char *name, const char *type, jobject *value)
{
    jfieldID field = env->GetFieldID(env->GetObjectClass(object), name, type);
    if (!field) {
        drumlin_jni_forget_no_field(env);
        return false;
    }
    *value = env->GetObjectField(object, field);
    return true;
}

/* Answers drumlin_jni_is_lasting, within a frame for its references. */
static inline bool drumlin_jni_outlasts(JNIEnv *env, jobject buffer)
{
    jclass mapped = env->FindClass("java/nio/MappedByteBuffer");
    if (!mapped)
        return false;
    jobject bytes = buffer;
    /* Doubles and the like are a view of bytes. */
    if (!env->IsInstanceOf(buffer, mapped) && !drumlin_jni_field(env, buffer, "att", "Ljava/lang/Object;", &bytes))
        return false;
    if (!bytes || !env->IsInstanceOf(bytes, mapped) || !drumlin_jni_is_of_no_segment(env, buffer))
        return false;
    jobject file = NULL;
    return drumlin_jni_field(env, bytes, "fd", "Ljava/io/FileDescriptor;", &file) && !file;
}

/*
 * Whether the memory of a direct buffer stays as long as the buffer is there, whatever the program does: it is no
 * segment, which may be closed, and no mapped file, which may become shorter. False if the virtual machine keeps
 * these things in other fields. An exception that the virtual machine throws meanwhile stays pending.
 */
static inline jboolean drumlin_jni_is_lasting(JNIEnv *env, jclass, jobject buffer)
{
    if (env->PushLocalFrame(16) != 0)
        return JNI_FALSE;
    bool lasting = drumlin_jni_outlasts(env, buffer);
    env->PopLocalFrame(NULL);
    return lasting && !env->ExceptionCheck();
}

#endif
