'use strict'

/**
 * The classes that documents are instances of, by their members.
 *
 * @typedef {{ constructor: new (...args: any[]) => object, where: Array<[string, unknown]> }} Registered
 */
class Classes {
  /** @type {Registered[]} */
  #registered = []

  /**
   * @param {new (...args: any[]) => object} constructor
   * @param {Record<string, string | number | boolean | null> | undefined} where members that its documents have
   * @throws TypeError where the class has other members already, or another class has these
   */
  register (constructor, where) {
    if (typeof constructor !== 'function' || typeof constructor.prototype !== 'object') throw new TypeError('Expected a class')
    const members = typeof where === 'object' && !Array.isArray(where) ? Object.entries(where ?? {}) : []
    if (members.length === 0) throw new TypeError(`register(${constructor.name}, { where }): where must name the members by which its documents are known, { kind: '${constructor.name.toLowerCase()}' }, say`)
    for (const [name, value] of members) {
      if (name.startsWith('_')) throw new TypeError(`where.${name}: members that begin with _ are CouchDB's own, and tell no class`)
      if (value !== null && !['string', 'number', 'boolean'].includes(typeof value)) throw new TypeError(`where.${name} must be a string, a number, a boolean or null`)
    }
    const known = this.#registered.find(each => each.constructor === constructor || haveSame(each.where, members))
    if (known === undefined) this.#registered.push({ constructor, where: members })
    else checkSame(known, constructor, members)
  }

  /**
   * The prototype of a document with these members.
   *
   * @param {Record<string, any>} raw
   * @returns {object}
   */
  prototypeOf (raw) {
    for (const { constructor, where } of this.#registered) if (where.every(([name, value]) => raw[name] === value)) return constructor.prototype
    return Object.prototype
  }

  /**
   * The members that make a document one of the class of an object.
   *
   * @param {object} object
   * @param {string} id of the document, for errors
   * @returns {Record<string, unknown>}
   * @throws TypeError where its class is not registered and it has no `toJSON`, or the object says otherwise
   */
  membersFor (object, id) {
    const prototype = Object.getPrototypeOf(object)
    if (prototype === null || prototype === Object.prototype) return {}
    const found = this.#registered.find(({ constructor }) => constructor.prototype === prototype)
    const own = /** @type {Record<string, unknown>} */ (object)
    if (found === undefined && typeof own.toJSON === 'function') return {}
    if (found === undefined) throw new TypeError(`${id}: the class ${prototype.constructor?.name} is not registered: register(${prototype.constructor?.name}, { where: … }) says by which members its documents are known`)
    for (const [name, value] of found.where) {
      if (own[name] !== undefined && own[name] !== value) throw new TypeError(`${id}.${name} is ${JSON.stringify(own[name])}, and documents of the class ${found.constructor.name} have ${JSON.stringify(value)}`)
    }
    return Object.fromEntries(found.where)
  }
}

/** @param {Registered['where']} one @param {Registered['where']} other */
function haveSame (one, other) {
  return one.length === other.length && one.every(([name, value]) => other.some(each => each[0] === name && each[1] === value))
}

/**
 * Throws where a class is registered with other members, or members with another class.
 *
 * @param {Registered} known
 * @param {Registered['constructor']} constructor
 * @param {Registered['where']} members
 */
function checkSame (known, constructor, members) {
  const wanted = JSON.stringify(Object.fromEntries(members))
  if (known.constructor !== constructor) throw new TypeError(`Documents with ${wanted} are instances of ${known.constructor.name} already, and not of ${constructor.name}`)
  if (!haveSame(known.where, members)) throw new TypeError(`${constructor.name} is registered with ${JSON.stringify(Object.fromEntries(known.where))} already, and not with ${wanted}`)
}

module.exports = { Classes }
