'use strict'

const { inspect } = require('node:util')
const { MOST_MADE, copyIn } = require('./copy-in')
const { byProxy, byRaw, committedJson, presentJson, setOwn } = require('./nodes')

/** @typedef {import('./nodes').Raw} Raw */

/** Steps of the way to a node that an error shows. */
const SHOWN = 50

/**
 * An object or array in a document. It is the handler of the Proxy that users hold: outside of transactions they see what is
 * committed, and in one what that has made of it so far.
 */
class Node {
  /** Its state in the transactions under way; undefined: they have not changed it. @type {any} */
  draft = undefined
  /** The transaction that has changed it last: the state before is with that. @type {object | null} */
  changedBy = null
  /** The one that has its place since a commit. @type {Node | null} */
  successor = null

  /**
   * @param {import('../document').Document} document
   * @param {any} raw
   * @param {Node | null} [holder] what it lay in when somebody looked at it last
   * @param {string} [name] by which it lay there
   */
  constructor (document, raw, holder = null, name = '') {
    this.document = document
    this.raw = raw
    this.holder = holder
    this.name = name
    this.proxy = new Proxy(this.makeShell(), this)
    byRaw.set(raw, this)
    byProxy.set(this.proxy, this)
  }

  get isDocument () { return false }
  /** @returns {object} */
  get prototype () { return Object.prototype }
  /** The name by which errors call it: its document, and the way to it, of which the end is enough. */
  get path () {
    let way = ''
    /** @type {Node | null} */
    let node = this
    for (let shown = 0; node !== null && node.holder !== null; node = node.holder) {
      if (++shown > SHOWN) return `${this.document.id}…${way}`
      way = (Array.isArray(node.holder.raw) ? `[${node.name}]` : `.${node.name}`) + way
    }
    return this.document.id + way
  }

  /** The target of the Proxy holds nothing, so that no rule for Proxies binds the handler. `util.inspect` looks at it. */
  makeShell () { return shown({}, this) }

  /** Stands behind its Proxy now. @returns {Node} */
  get current () { return this.successor === null ? this : this.successor.current }

  /** Its state for who asks. */
  get present () { return this.document.present(this.current) }

  /**
   * Gives what may be changed.
   *
   * @returns {any}
   * @throws TypeError outside of a transaction
   */
  edit () {
    const node = this.current
    this.document.change(node)
    return node.draft
  }

  /** Gives what a user sees of a value in here. @param {any} value @param {string} name */
  show (value, name) {
    if (typeof value !== 'object' || value === null) return value
    return this.document.documents.referred(value) ?? this.nodeAt(name, value).proxy
  }

  /** The node of an object in here. @param {string} name @param {Raw} raw */
  nodeAt (name, raw) {
    const known = byRaw.get(raw)
    if (known === undefined) return makeNode(this.document, raw, this.current, name)
    known.holder = this.current
    known.name = name
    return known
  }

  /** A plain copy. */
  plain () {
    const { raw } = this.current
    this.document.present(this.current)
    return this.document.documents.running === null ? committedJson(raw) : presentJson(raw)
  }

  // Traps of the Proxy.

  /** @param {object} shell @param {string | symbol} name @param {any} receiver */
  get (shell, name, receiver) {
    const raw = this.present
    if (Object.hasOwn(raw, name)) return this.show(raw[/** @type {string} */ (name)], /** @type {string} */ (name))
    return Reflect.get(this.prototype, name, receiver)
  }

  /** @param {object} shell @param {string | symbol} name @param {any} value @param {any} receiver */
  set (shell, name, value, receiver) {
    if (receiver !== this.proxy) return Reflect.set({}, name, value, receiver)
    const setter = this.setterOf(name)
    if (setter !== undefined) {
      Reflect.apply(setter, receiver, [value])
      return true
    }
    return this.assign(name, value)
  }

  /**
   * The setter of its class.
   *
   * @param {string | symbol} name
   * @throws TypeError where there is a getter alone
   */
  setterOf (name) {
    for (let each = this.prototype; each !== null && each !== Object.prototype; each = Object.getPrototypeOf(each)) {
      const property = Object.getOwnPropertyDescriptor(each, name)
      if (property?.get !== undefined && property.set === undefined) throw new TypeError(`${this.path}.${String(name)}: its class has a getter of this name, and no setter`)
      if (property !== undefined) return property.set
    }
    return undefined
  }

  /** @param {string | symbol} name @param {any} value */
  assign (name, value) {
    if (typeof name === 'symbol') throw new TypeError(`${this.path}: members of documents have strings as names`)
    const copy = copyIn(value, this.document.documents, `${this.path}.${name}`, this.current, name)
    if (copy === undefined) return this.remove(name)
    setOwn(this.edit(), name, copy)
    this.moved(name, copy)
    return true
  }

  /** Notes where an object of the document is now, if it is one. @param {string} name @param {any} value */
  moved (name, value) { if (typeof value === 'object' && byRaw.has(value)) this.nodeAt(name, value) }

  /** @param {string} name */
  remove (name) {
    if (Object.hasOwn(this.present, name)) delete this.edit()[name]
    return true
  }

  /** @param {object} shell @param {string | symbol} name */
  deleteProperty (shell, name) { return typeof name === 'symbol' ? true : this.remove(name) }

  /** @param {object} shell @param {string | symbol} name */
  has (shell, name) { return Object.hasOwn(this.present, name) || Reflect.has(this.prototype, name) }

  /** @param {object} shell @returns {Array<string | symbol>} */
  ownKeys (shell) { return Object.keys(this.present) }

  /** @param {object} shell @param {string | symbol} name @returns {PropertyDescriptor | undefined} */
  getOwnPropertyDescriptor (shell, name) {
    const raw = this.present
    if (!Object.hasOwn(raw, name)) return undefined
    return { value: this.show(raw[/** @type {string} */ (name)], /** @type {string} */ (name)), writable: true, enumerable: true, configurable: true }
  }

  /** @param {object} shell @param {string | symbol} name @param {PropertyDescriptor} property */
  defineProperty (shell, name, property) {
    const { value, get, set, writable = true, enumerable = true, configurable = true } = property
    if (get !== undefined || set !== undefined || !writable || !enumerable || !configurable) {
      throw new TypeError(`${this.path}.${String(name)}: members of documents are values, and can be changed`)
    }
    return this.assign(name, value)
  }

  getPrototypeOf () { return this.prototype }

  /** @param {object} shell @param {object | null} prototype */
  setPrototypeOf (shell, prototype) { return prototype === this.prototype }

  isExtensible () { return true }
  preventExtensions () { return false }
}

/** An array in a document. */
class ArrayNode extends Node {
  get prototype () { return Array.prototype }
  makeShell () { return shown([], this) }

  /** @param {object} shell @param {string | symbol} name @param {any} receiver */
  get (shell, name, receiver) {
    const raw = this.present
    if (typeof name === 'string' && Object.hasOwn(raw, name)) return this.show(raw[name], name)
    return Reflect.get(Array.prototype, name, receiver)
  }

  setterOf () { return undefined }

  /** @param {string | symbol} name @param {any} value */
  assign (name, value) {
    if (name === 'length') {
      this.checkLength(value)
      this.edit().length = value
      return true
    }
    if (typeof name === 'symbol' || !isIndex(name)) throw new TypeError(`${this.path}: arrays in documents have nothing but elements`)
    this.checkLength(Number(name) + 1)
    const copy = copyIn(value, this.document.documents, `${this.path}[${name}]`, this.current, name) ?? null
    this.edit()[name] = copy
    this.moved(name, copy)
    return true
  }

  /** Holes take no room in JavaScript, and are null in JSON. @param {number} length */
  checkLength (length) {
    if (length - this.present.length > MOST_MADE) throw new RangeError(`${this.path}: an array of ${length} elements would have more than ${MOST_MADE} holes`)
  }

  ownKeys () { return [...Object.keys(this.present), 'length'] }

  /** @param {object} shell @param {string | symbol} name @returns {PropertyDescriptor | undefined} */
  getOwnPropertyDescriptor (shell, name) {
    if (name === 'length') return { value: this.present.length, writable: true, enumerable: false, configurable: false }
    return super.getOwnPropertyDescriptor(shell, name)
  }

  /** @param {object} shell @param {string | symbol} name @param {PropertyDescriptor} property */
  defineProperty (shell, name, property) {
    return name === 'length' ? this.assign(name, property.value) : super.defineProperty(shell, name, property)
  }
}

/** @param {string} name */
function isIndex (name) { return String(Number(name) >>> 0) === name && name !== '4294967295' }

/** @param {import('../document').Document} document @param {Raw} raw @param {Node} holder @param {string} name */
function makeNode (document, raw, holder, name) {
  return Array.isArray(raw) ? new ArrayNode(document, raw, holder, name) : new Node(document, raw, holder, name)
}

/**
 * @template {object} T
 * @param {T} shell
 * @param {Node} node
 * @returns {T}
 */
function shown (shell, node) {
  const prototype = Object.create(Object.getPrototypeOf(shell), { [inspect.custom]: { value: () => node.document.documents.store.closed ? '[of a closed database]' : node.plain() } })
  return Object.setPrototypeOf(shell, prototype)
}

module.exports = { Node, makeNode }
