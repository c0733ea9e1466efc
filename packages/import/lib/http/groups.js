'use strict'

/**
 * Items in groups: each goes to the item with which it is as big as it may become, or bigger.
 *
 * @template T
 * @param {Iterable<T>} items taken as they are asked for
 * @param {(item: T) => number} sizeOf
 * @param {number} most
 * @returns {Generator<T[]>}
 */
function * groupsOf (items, sizeOf, most) {
  let group = []
  let size = 0
  for (const item of items) {
    group.push(item)
    size += sizeOf(item)
    if (size < most) continue
    yield group
    group = []
    size = 0
  }
  if (group.length > 0) yield group
}

module.exports = { groupsOf }
