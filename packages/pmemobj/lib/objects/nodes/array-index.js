'use strict'

const MAX_LENGTH = 2 ** 32 - 1

/**
 * The index that a property's name is; -1 where it is none, as '01', '-1' and '4294967295' are not.
 *
 * @param {string | symbol} name
 */
function indexOf (name) {
  if (typeof name !== 'string') return -1
  const { length } = name
  const first = name.charCodeAt(0) - 48
  if (!(first >= 0 && first <= 9) || length > 10) return -1
  if (first === 0) return length === 1 ? 0 : -1
  let index = first
  for (let i = 1; i < length; i++) {
    const digit = name.charCodeAt(i) - 48
    if (!(digit >= 0 && digit <= 9)) return -1
    index = index * 10 + digit
  }
  return index < MAX_LENGTH ? index : -1
}

module.exports = { MAX_LENGTH, indexOf }
