# Flags of every target of this project: warnings, reproducible arithmetic, sanitizers.
add_library(sprag_flags INTERFACE)
target_compile_definitions(sprag_flags INTERFACE _GNU_SOURCE)
target_compile_options(sprag_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wmissing-prototypes
  -Wstrict-prototypes -Wvla -Wundef -ffp-contract=off -fno-semantic-interposition
  $<$<BOOL:${SPRAG_WERROR}>:-Werror>)
# gcc cannot know that a failed call of another file never returns SPRAG_OK, and with optimisation
# takes every out-parameter of a checked call for uninitialised. The sanitizers look instead.
target_compile_options(sprag_flags INTERFACE $<$<C_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
# A hint to vectorise that clang cannot take (with sanitizers it never can) is no fault of the code.
target_compile_options(sprag_flags INTERFACE $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>)
if(SPRAG_SANITIZE)
  set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=undefined
                 -fno-omit-frame-pointer)
  target_compile_options(sprag_flags INTERFACE ${sanitizers})
  target_link_options(sprag_flags INTERFACE ${sanitizers})
endif()
