'use strict'

/**
 * A store with some methods in front of its own, which keep their `this`.
 *
 * @param {import('@potoroo/document-store').DocumentStore} store
 * @param {Record<string, any>} methods
 * @returns {import('@potoroo/document-store').DocumentStore}
 */
function overlay (store, methods) {
  /** @type {Map<string | symbol, any>} */
  const bound = new Map(Object.entries(methods))
  return new Proxy(store, {
    get (target, property) {
      const known = bound.get(property)
      if (known !== undefined) return known
      const value = Reflect.get(target, property, target)
      if (typeof value !== 'function') return value
      const method = value.bind(target)
      bound.set(property, method)
      return method
    },
    set (target, property, value) {
      return Reflect.set(target, property, value, target)
    }
  })
}

module.exports = { overlay }
