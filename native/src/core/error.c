#include "drumlin/core.h"

int32_t drumlin_core_abi(void)
{
    return DRUMLIN_CORE_ABI;
}
