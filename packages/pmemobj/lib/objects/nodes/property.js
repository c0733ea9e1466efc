'use strict'

/** @param {string | symbol} name @returns {asserts name is string} */
function refuseSymbol (name) {
  if (typeof name === 'symbol') throw new TypeError(`A pool cannot keep a property that is named by a symbol (${String(name)})`)
}

/**
 * Properties of a pool are all writable, enumerable and configurable.
 *
 * @param {PropertyDescriptor} descriptor
 * @param {boolean} exists whether there is the property; what is not said stays then
 */
function checkDescriptor (descriptor, exists) {
  if (descriptor.get !== undefined || descriptor.set !== undefined) {
    throw new TypeError('A pool cannot keep a property that has a getter or a setter')
  }
  for (const attribute of /** @type {const} */ (['writable', 'enumerable', 'configurable'])) {
    if (descriptor[attribute] ?? exists) continue
    throw new TypeError(`A property in a pool cannot be made not ${attribute}`)
  }
}

/**
 * The prototype says what an object of a pool is, and stays.
 *
 * @param {object | null} prototype
 * @param {object | null} own
 */
function keepPrototype (prototype, own) {
  if (prototype === own) return true
  throw new TypeError('The prototype of what is in a pool cannot be changed')
}

/**
 * Does what a plain object does when it is assigned to as the prototype of another one.
 *
 * @param {unknown} receiver
 * @param {string | symbol} name
 * @param {unknown} value
 */
function setOnReceiver (receiver, name, value) {
  if (typeof receiver !== 'object' || receiver === null) return false
  const own = Reflect.getOwnPropertyDescriptor(receiver, name)
  if (own !== undefined) return own.writable === true && Reflect.defineProperty(receiver, name, { value })
  return Reflect.defineProperty(receiver, name, { value, writable: true, enumerable: true, configurable: true })
}

module.exports = { checkDescriptor, keepPrototype, refuseSymbol, setOnReceiver }
