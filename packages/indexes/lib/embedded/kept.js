'use strict'

/**
 * Returns a function that makes each thing once, and gives up those that were least recently asked for.
 *
 * @template T
 * @param {number} most how many are kept
 * @param {(kind: 'map' | 'reduce', source: string) => T} make
 * @returns {(kind: 'map' | 'reduce', source: string) => T}
 */
function keptBy (most, make) {
  /** @type {Map<string, T>} */
  const kept = new Map()
  return (kind, source) => {
    const name = `${kind} ${source}`
    const known = kept.get(name)
    kept.delete(name)
    const made = known ?? make(kind, source)
    kept.set(name, made)
    if (kept.size > most) kept.delete(/** @type {string} */ (kept.keys().next().value))
    return made
  }
}

module.exports = { keptBy }
