/* SPDX-License-Identifier: BSD-2-Clause */
/* From "head, key1, value1, key2, value2, ..." to the names and values of arguments. C11 and C++17.
 */
#ifndef FXT_PROVIDER_ARGUMENTS_H_
#define FXT_PROVIDER_ARGUMENTS_H_

#include "fxt_provider/provider.h"

/* The head of the list, without the rest. */
#define FXT_HEAD_(...) FXT_HEAD_OF_(__VA_ARGS__, 0)
#define FXT_HEAD_OF_(head, ...) head

/* Chooses one of the macros below by the number of pairs that follow the head. */

#define FXT_PICK_(_0, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, _17, \
                  _18, _19, _20, _21, _22, _23, _24, _25, _26, _27, _28, _29, _30, which, ...)    \
  which
#define FXT_COUNT_(...)                                                                         \
  FXT_PICK_(__VA_ARGS__, 15, FXT_KEY_WITHOUT_VALUE_, 14, FXT_KEY_WITHOUT_VALUE_, 13,            \
            FXT_KEY_WITHOUT_VALUE_, 12, FXT_KEY_WITHOUT_VALUE_, 11, FXT_KEY_WITHOUT_VALUE_, 10, \
            FXT_KEY_WITHOUT_VALUE_, 9, FXT_KEY_WITHOUT_VALUE_, 8, FXT_KEY_WITHOUT_VALUE_, 7,    \
            FXT_KEY_WITHOUT_VALUE_, 6, FXT_KEY_WITHOUT_VALUE_, 5, FXT_KEY_WITHOUT_VALUE_, 4,    \
            FXT_KEY_WITHOUT_VALUE_, 3, FXT_KEY_WITHOUT_VALUE_, 2, FXT_KEY_WITHOUT_VALUE_, 1,    \
            FXT_KEY_WITHOUT_VALUE_, 0, 0)
#define FXT_KEYS_(...)                                                                             \
  FXT_PICK_(__VA_ARGS__, FXT_KEYS15_, FXT_KEY_WITHOUT_VALUE_, FXT_KEYS14_, FXT_KEY_WITHOUT_VALUE_, \
            FXT_KEYS13_, FXT_KEY_WITHOUT_VALUE_, FXT_KEYS12_, FXT_KEY_WITHOUT_VALUE_, FXT_KEYS11_, \
            FXT_KEY_WITHOUT_VALUE_, FXT_KEYS10_, FXT_KEY_WITHOUT_VALUE_, FXT_KEYS9_,               \
            FXT_KEY_WITHOUT_VALUE_, FXT_KEYS8_, FXT_KEY_WITHOUT_VALUE_, FXT_KEYS7_,                \
            FXT_KEY_WITHOUT_VALUE_, FXT_KEYS6_, FXT_KEY_WITHOUT_VALUE_, FXT_KEYS5_,                \
            FXT_KEY_WITHOUT_VALUE_, FXT_KEYS4_, FXT_KEY_WITHOUT_VALUE_, FXT_KEYS3_,                \
            FXT_KEY_WITHOUT_VALUE_, FXT_KEYS2_, FXT_KEY_WITHOUT_VALUE_, FXT_KEYS1_,                \
            FXT_KEY_WITHOUT_VALUE_, FXT_KEYS0_, 0)                                                 \
  (__VA_ARGS__)
#define FXT_VALUES_(...)                                                                   \
  FXT_PICK_(__VA_ARGS__, FXT_VALUES15_, FXT_KEY_WITHOUT_VALUE_, FXT_VALUES14_,             \
            FXT_KEY_WITHOUT_VALUE_, FXT_VALUES13_, FXT_KEY_WITHOUT_VALUE_, FXT_VALUES12_,  \
            FXT_KEY_WITHOUT_VALUE_, FXT_VALUES11_, FXT_KEY_WITHOUT_VALUE_, FXT_VALUES10_,  \
            FXT_KEY_WITHOUT_VALUE_, FXT_VALUES9_, FXT_KEY_WITHOUT_VALUE_, FXT_VALUES8_,    \
            FXT_KEY_WITHOUT_VALUE_, FXT_VALUES7_, FXT_KEY_WITHOUT_VALUE_, FXT_VALUES6_,    \
            FXT_KEY_WITHOUT_VALUE_, FXT_VALUES5_, FXT_KEY_WITHOUT_VALUE_, FXT_VALUES4_,    \
            FXT_KEY_WITHOUT_VALUE_, FXT_VALUES3_, FXT_KEY_WITHOUT_VALUE_, FXT_VALUES2_,    \
            FXT_KEY_WITHOUT_VALUE_, FXT_VALUES1_, FXT_KEY_WITHOUT_VALUE_, FXT_VALUES0_, 0) \
  (__VA_ARGS__)

/* Each expansion that is not empty ends with a comma. */
#define FXT_KEYS0_(head)
#define FXT_KEYS1_(head, key, value) key,
#define FXT_KEYS2_(head, key, value, ...) key, FXT_KEYS1_(head, __VA_ARGS__)
#define FXT_KEYS3_(head, key, value, ...) key, FXT_KEYS2_(head, __VA_ARGS__)
#define FXT_KEYS4_(head, key, value, ...) key, FXT_KEYS3_(head, __VA_ARGS__)
#define FXT_KEYS5_(head, key, value, ...) key, FXT_KEYS4_(head, __VA_ARGS__)
#define FXT_KEYS6_(head, key, value, ...) key, FXT_KEYS5_(head, __VA_ARGS__)
#define FXT_KEYS7_(head, key, value, ...) key, FXT_KEYS6_(head, __VA_ARGS__)
#define FXT_KEYS8_(head, key, value, ...) key, FXT_KEYS7_(head, __VA_ARGS__)
#define FXT_KEYS9_(head, key, value, ...) key, FXT_KEYS8_(head, __VA_ARGS__)
#define FXT_KEYS10_(head, key, value, ...) key, FXT_KEYS9_(head, __VA_ARGS__)
#define FXT_KEYS11_(head, key, value, ...) key, FXT_KEYS10_(head, __VA_ARGS__)
#define FXT_KEYS12_(head, key, value, ...) key, FXT_KEYS11_(head, __VA_ARGS__)
#define FXT_KEYS13_(head, key, value, ...) key, FXT_KEYS12_(head, __VA_ARGS__)
#define FXT_KEYS14_(head, key, value, ...) key, FXT_KEYS13_(head, __VA_ARGS__)
#define FXT_KEYS15_(head, key, value, ...) key, FXT_KEYS14_(head, __VA_ARGS__)
#define FXT_VALUES0_(head)
#define FXT_VALUES1_(head, key, value) FXT_VALUE_(value),
#define FXT_VALUES2_(head, key, value, ...) FXT_VALUE_(value), FXT_VALUES1_(head, __VA_ARGS__)
#define FXT_VALUES3_(head, key, value, ...) FXT_VALUE_(value), FXT_VALUES2_(head, __VA_ARGS__)
#define FXT_VALUES4_(head, key, value, ...) FXT_VALUE_(value), FXT_VALUES3_(head, __VA_ARGS__)
#define FXT_VALUES5_(head, key, value, ...) FXT_VALUE_(value), FXT_VALUES4_(head, __VA_ARGS__)
#define FXT_VALUES6_(head, key, value, ...) FXT_VALUE_(value), FXT_VALUES5_(head, __VA_ARGS__)
#define FXT_VALUES7_(head, key, value, ...) FXT_VALUE_(value), FXT_VALUES6_(head, __VA_ARGS__)
#define FXT_VALUES8_(head, key, value, ...) FXT_VALUE_(value), FXT_VALUES7_(head, __VA_ARGS__)
#define FXT_VALUES9_(head, key, value, ...) FXT_VALUE_(value), FXT_VALUES8_(head, __VA_ARGS__)
#define FXT_VALUES10_(head, key, value, ...) FXT_VALUE_(value), FXT_VALUES9_(head, __VA_ARGS__)
#define FXT_VALUES11_(head, key, value, ...) FXT_VALUE_(value), FXT_VALUES10_(head, __VA_ARGS__)
#define FXT_VALUES12_(head, key, value, ...) FXT_VALUE_(value), FXT_VALUES11_(head, __VA_ARGS__)
#define FXT_VALUES13_(head, key, value, ...) FXT_VALUE_(value), FXT_VALUES12_(head, __VA_ARGS__)
#define FXT_VALUES14_(head, key, value, ...) FXT_VALUE_(value), FXT_VALUES13_(head, __VA_ARGS__)
#define FXT_VALUES15_(head, key, value, ...) FXT_VALUE_(value), FXT_VALUES14_(head, __VA_ARGS__)

/* Converts a value of any supported type to fxt_value. */
#ifdef __cplusplus
#include <initializer_list>
#include <type_traits>

namespace fxt_provider {
namespace detail {

inline fxt_value Value(const fxt_value& value) { return value; }
inline fxt_value Value(std::nullptr_t) { return fxt_null_value(); }
inline fxt_value Value(bool value) { return fxt_bool_value(value); }
inline fxt_value Value(float value) { return fxt_double_value(static_cast<double>(value)); }
inline fxt_value Value(double value) { return fxt_double_value(value); }
inline fxt_value Value(const char* value) { return fxt_string_value(value); }
inline fxt_value Value(char* value) { return fxt_string_value(value); }

template <typename T, std::enable_if_t<std::is_integral<T>::value, int> = 0>
fxt_value Value(T value) {
  if (sizeof(T) <= sizeof(int32_t)) {
    return std::is_signed<T>::value ? fxt_int32_value(static_cast<int32_t>(value))
                                    : fxt_uint32_value(static_cast<uint32_t>(value));
  }
  return std::is_signed<T>::value ? fxt_int64_value(static_cast<int64_t>(value))
                                  : fxt_uint64_value(static_cast<uint64_t>(value));
}
template <typename T, std::enable_if_t<std::is_enum<T>::value, int> = 0>
fxt_value Value(T value) {
  return Value(static_cast<std::underlying_type_t<T>>(value));
}
template <typename T>
fxt_value Value(T* value) {
  return fxt_pointer_value(value);
}
/* std::string, std::string_view and other containers of characters. */
template <typename T>
auto Value(const T& text) -> decltype(fxt_chars_value(text.data(), text.size())) {
  return fxt_chars_value(text.data(), text.size());
}

/* One full expression, so that temporaries which the values point to still exist. */
inline void Write(const fxt_site* site, uint32_t type, uint64_t payload,
                  std::initializer_list<fxt_value> values) {
  fxt_provider_write(site, type, payload, values.begin());
}

}  // namespace detail
}  // namespace fxt_provider

#define FXT_VALUE_(value) fxt_provider::detail::Value(value)
#define FXT_WRITE_(site, type, payload, ...) \
  fxt_provider::detail::Write(site, type, payload, {FXT_VALUES_(__VA_ARGS__) fxt_null_value()})
#else
static inline struct fxt_value fxt_same_value(struct fxt_value value) { return value; }

/* clang-format off */
#define FXT_VALUE_(value)                \
  _Generic((value),                      \
      struct fxt_value: fxt_same_value,  \
      _Bool: fxt_bool_value,             \
      char: fxt_int32_value,             \
      signed char: fxt_int32_value,      \
      unsigned char: fxt_uint32_value,   \
      short: fxt_int32_value,            \
      unsigned short: fxt_uint32_value,  \
      int: fxt_int32_value,              \
      unsigned: fxt_uint32_value,        \
      long: fxt_int64_value,             \
      unsigned long: fxt_uint64_value,   \
      long long: fxt_int64_value,        \
      unsigned long long: fxt_uint64_value, \
      float: fxt_double_value,           \
      double: fxt_double_value,          \
      char*: fxt_string_value,           \
      const char*: fxt_string_value,     \
      default: fxt_pointer_value)(value)
/* clang-format on */
#define FXT_WRITE_(site, type, payload, ...) \
  fxt_provider_write(site, type, payload,    \
                     (const struct fxt_value[]){FXT_VALUES_(__VA_ARGS__){FXT_NULL, 0, {0}}})
#endif

#endif
