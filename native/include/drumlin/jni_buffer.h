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

#endif
