'use strict'

/**
 * Refuses a name that means nothing outside of this process.
 *
 * @param {string | symbol} name
 */
function checkName (name) {
  if (typeof name !== 'symbol' || Symbol.keyFor(name) !== undefined) return
  throw new TypeError(`A pool cannot keep a property that is named by ${String(name)}: use a string, or a symbol of Symbol.for()`)
}

/**
 * Properties of a pool are all writable, enumerable and configurable.
 *
 * @param {PropertyDescriptor} descriptor
 * @param {boolean} exists whether there is the property; what is not said stays then
 */
function checkDescriptor (descriptor, exists) {
  if (descriptor.get !== undefined || descriptor.set !== undefined) {
    throw new TypeError('A pool cannot keep a property that has a getter or a setter: keep a value, or register a class that has them')
  }
  for (const attribute of /** @type {const} */ (['writable', 'enumerable', 'configurable'])) {
    if (descriptor[attribute] ?? exists) continue
    throw new TypeError(`A property in a pool cannot be made not ${attribute}: a getter of a class that is registered can protect it`)
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
  throw new TypeError('The prototype of what is in a pool cannot be changed: copy its properties into an object that has the other one')
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

module.exports = { checkDescriptor, checkName, keepPrototype, setOnReceiver }
