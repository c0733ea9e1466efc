'use strict'

/** Slots by distance, the nearest first, or the farthest. */
class Heap {
  /** @type {number[]} */
  #slots = []
  /** Distances; negative where the farthest comes first. @type {number[]} */
  #keys = []
  #sign

  /** @param {{ farthestFirst: boolean }} order */
  constructor ({ farthestFirst }) { this.#sign = farthestFirst ? -1 : 1 }

  get size () { return this.#slots.length }
  /** The slot that comes first. */
  get slot () { return this.#slots[0] }
  /** The distance of the slot that comes first. */
  get distance () { return this.#keys[0] * this.#sign }

  /** @param {number} slot @param {number} distance */
  push (slot, distance) {
    const [keys, slots, key] = [this.#keys, this.#slots, distance * this.#sign]
    let at = keys.length
    keys.push(key)
    slots.push(slot)
    while (at > 0) {
      const above = (at - 1) >> 1
      if (keys[above] <= key) break
      keys[at] = keys[above]
      slots[at] = slots[above]
      at = above
    }
    keys[at] = key
    slots[at] = slot
  }

  /** Takes the first away. */
  pop () {
    const [keys, slots] = [this.#keys, this.#slots]
    const key = /** @type {number} */ (keys.pop())
    const slot = /** @type {number} */ (slots.pop())
    if (keys.length > 0) this.#sink(key, slot)
  }

  /** Puts one in the place of the first. @param {number} slot @param {number} distance */
  replace (slot, distance) { this.#sink(distance * this.#sign, slot) }

  /** @param {number} key @param {number} slot */
  #sink (key, slot) {
    const [keys, slots] = [this.#keys, this.#slots]
    const size = keys.length
    let at = 0
    for (let below = 1; below < size; below = 2 * at + 1) {
      if (below + 1 < size && keys[below + 1] < keys[below]) below++
      if (keys[below] >= key) break
      keys[at] = keys[below]
      slots[at] = slots[below]
      at = below
    }
    keys[at] = key
    slots[at] = slot
  }

  /** @returns {Array<{ slot: number, distance: number }>} all, the nearest first */
  sorted () {
    return this.#slots.map((slot, at) => ({ slot, distance: this.#keys[at] * this.#sign })).sort((left, right) => left.distance - right.distance || left.slot - right.slot)
  }
}

module.exports = { Heap }
