/* cmocka.h wants these before it, in this order. */
#ifndef DRUMLIN_CMOCKA_ALL_H
#define DRUMLIN_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
