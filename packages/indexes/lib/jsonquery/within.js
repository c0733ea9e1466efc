'use strict'

/**
 * All objects and lists within a value, itself first, each before what is within it.
 *
 * @param {any} value
 * @returns {Generator<any, void, void>}
 */
function * within (value) {
  const waiting = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null) continue
    yield next
    const inner = Array.isArray(next) ? next : Object.values(next)
    for (let i = inner.length - 1; i >= 0; i--) if (typeof inner[i] === 'object') waiting.push(inner[i])
  }
}

module.exports = { within }
