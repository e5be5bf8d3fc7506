/*
 * The C core of Drumlin: what Java cannot do by itself on one node. No MPI in it, and no policy.
 *
 * Unless a function says otherwise it returns 0 or a count (>= 0) on success and -errno on failure, and may be called
 * from any thread.
 */
#ifndef DRUMLIN_CORE_H
#define DRUMLIN_CORE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DRUMLIN_API __attribute__((visibility("default")))

/* Changes whenever a function below changes its signature or its meaning, or disappears. */
#define DRUMLIN_CORE_ABI 1

/* The DRUMLIN_CORE_ABI with which the library was built. */
DRUMLIN_API int32_t drumlin_core_abi(void);

#ifdef __cplusplus
}
#endif

#endif
