'use strict'

const { PersistentArrayBuffer } = require('../objects/heap/persistent-array-buffer')
const { standFor } = require('../objects/nodes/node')

/** Objects of a pool → what programs for JSPMDK hold of them. @type {WeakMap<object, object>} */
const shown = new WeakMap()
/** The other way round. @type {WeakMap<object, any>} */
const hidden = new WeakMap()

/** An object of a pool as JSPMDK shows it: with `is_array()`. */
class PersistentObject {
  is_array () { return Array.isArray(unwrap(this)) }
}

/** An array. */
class PersistentArray extends PersistentObject {}

/**
 * Shows a value of a pool: primitives and views are as they are.
 *
 * @param {any} value
 * @returns {any}
 */
function wrap (value) {
  if (value instanceof PersistentArrayBuffer) return withPersist(value)
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  const known = shown.get(value)
  if (known !== undefined) return known
  const proxy = new Proxy(value, handlerFor(Array.isArray(value) ? PersistentArray.prototype : PersistentObject.prototype))
  shown.set(value, proxy)
  hidden.set(proxy, value)
  standFor(proxy, value)
  return proxy
}

/** @param {any} value */
function unwrap (value) {
  return hidden.get(value) ?? value
}

/**
 * An object with the methods of another class: what `bind()` gives.
 *
 * @param {object} value
 * @param {Function} constructor
 */
function wrapAs (value, constructor) {
  const object = unwrap(value)
  const proxy = new Proxy(object, handlerFor(constructor.prototype))
  hidden.set(proxy, object)
  standFor(proxy, object)
  return proxy
}

/** JSPMDK's source has flush() by this name. @param {PersistentArrayBuffer} buffer */
function withPersist (buffer) {
  if (!('persist' in buffer)) Object.defineProperty(buffer, 'persist', { value: buffer.flush, configurable: true })
  return buffer
}

/**
 * The handler of a Proxy whose target is an object of a pool.
 *
 * @param {object} prototype
 * @returns {ProxyHandler<any>}
 */
function handlerFor (prototype) {
  return {
    get (target, name, proxy) {
      if (name === 'is_array' && !Object.hasOwn(target, name)) return PersistentObject.prototype.is_array
      if (!Object.hasOwn(target, name) && name in prototype && (name === 'constructor' || !(name in Object.prototype))) return Reflect.get(prototype, name, proxy)
      const value = target[name]
      if (typeof value !== 'function') return wrap(value)
      // Methods of JavaScript's own work on the object itself, each as one operation.
      return (/** @type {any[]} */ ...args) => wrap(Reflect.apply(value, target, args.map(unwrap)))
    },
    set (target, name, value) { return Reflect.set(target, name, unwrap(value)) },
    defineProperty (target, name, descriptor) {
      return Reflect.defineProperty(target, name, 'value' in descriptor ? { ...descriptor, value: unwrap(descriptor.value) } : descriptor)
    },
    getOwnPropertyDescriptor (target, name) {
      const descriptor = Reflect.getOwnPropertyDescriptor(target, name)
      return descriptor === undefined ? undefined : { ...descriptor, value: wrap(descriptor.value) }
    },
    getPrototypeOf () { return prototype }
  }
}

module.exports = { PersistentArray, PersistentObject, unwrap, wrap, wrapAs }
