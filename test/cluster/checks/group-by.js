'use strict'

/**
 * @template T
 * @param {T[]} list
 * @param {(item: T) => string} nameOf
 * @returns {Map<string, T[]>}
 */
function groupBy (list, nameOf) {
  const groups = new Map()
  for (const item of list) {
    const name = nameOf(item)
    if (!groups.has(name)) groups.set(name, [])
    groups.get(name).push(item)
  }
  return groups
}

module.exports = { groupBy }
