'use strict'

/** Puts notices together: what they have told of each object, and the number of the last one. */
class Joined {
  #commit = 0
  /** @type {Map<object, Set<unknown>>} */
  #keys = new Map()

  /** @param {import('./watch').Notice} notice */
  add ({ commit, changes }) {
    this.#commit = commit
    for (const { object, keys } of changes) {
      const known = this.#keys.get(object)
      if (known === undefined) this.#keys.set(object, new Set(keys))
      else for (const key of keys) known.add(key)
    }
  }

  /** @returns {import('./watch').Notice} */
  get notice () {
    const changes = [...this.#keys].map(([object, keys]) => ({ object, keys: Array.isArray(object) ? inOrder(keys) : [...keys] }))
    return { commit: this.#commit, changes }
  }
}

/** The indices of an array, ascending, and its length behind them. @param {Set<any>} keys */
function inOrder (keys) {
  const indices = [...keys].filter(key => key !== 'length').sort((a, b) => a - b)
  return keys.has('length') ? [...indices, 'length'] : indices
}

module.exports = { Joined }
