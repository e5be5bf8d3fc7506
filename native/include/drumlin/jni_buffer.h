/*
 * What only JNI can do: from memory to a ByteBuffer and back. For the glue that JavaCPP generates; C++, not part of the
 * C interface.
 */
#ifndef DRUMLIN_JNI_BUFFER_H
#define DRUMLIN_JNI_BUFFER_H

#include <jni.h>

/* A direct ByteBuffer over memory that must outlive it. NULL, with an exception pending, where there is none. */
static inline jobject drumlin_jni_view(JNIEnv *env, jclass, jlong address, jlong length)
{
    return env->NewDirectByteBuffer((void *)address, length);
}

/* The address of a direct buffer's element 0; 0 for any other buffer. */
static inline jlong drumlin_jni_address(JNIEnv *env, jclass, jobject buffer)
{
    return (jlong)env->GetDirectBufferAddress(buffer);
}

#endif
