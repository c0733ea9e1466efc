'use strict'

const { Node } = require('./node')
const { nodeOf } = require('./nodes')

/** The member of a document under which its live conflicting revisions are. */
const conflicts = Symbol('conflicts')

/** Members that are the store's. @type {Record<string, (document: import('../document').Document) => any>} */
const SPECIAL = {
  _id: document => document.id,
  _rev: document => document.rev ?? undefined,
  _deleted: document => document.isPresent ? undefined : true,
  _attachments: document => document.isPresent ? document.attachments ?? undefined : undefined,
  _access: document => document.isPresent ? document.access ?? undefined : undefined
}

/** A document itself: it has an id and a revision, may be an instance of a class, and may be gone. */
class DocumentNode extends Node {
  get isDocument () { return true }
  get prototype () { return this.document.prototype }

  plain () { return { ...this.#special(), ...super.plain() } }

  /** The special members that there are. @returns {Record<string, any>} */
  #special () {
    const { document } = this
    document.present(this)
    return Object.fromEntries(Object.keys(SPECIAL).map(name => [name, SPECIAL[name](document)]).filter(([, value]) => value !== undefined))
  }

  /** @param {object} shell @param {string | symbol} name @param {any} receiver */
  get (shell, name, receiver) {
    if (name === conflicts) return this.document.conflicts
    if (!isSpecial(name)) return super.get(shell, name, receiver)
    this.document.present(this)
    return SPECIAL[name](this.document)
  }

  /** @param {string | symbol} name @param {any} value */
  assign (name, value) {
    if (name === conflicts) throw new TypeError(`${this.path}: conflicts are resolved by \`delete document[conflicts]\``)
    if (typeof name === 'string' && name.startsWith('_')) throw new TypeError(`${this.path}.${name}: what begins with an underscore is the database's`)
    return super.assign(name, value)
  }

  /** @param {object} shell @param {string | symbol} name */
  deleteProperty (shell, name) {
    if (name === conflicts) return this.document.resolve()
    if (isSpecial(name)) throw new TypeError(`${this.path}.${name}: what begins with an underscore is the database's`)
    return super.deleteProperty(shell, name)
  }

  /** @param {object} shell @param {string | symbol} name */
  has (shell, name) { return name === conflicts || isSpecial(name) ? this.get(shell, name, undefined) !== undefined : super.has(shell, name) }

  /** @param {object} shell */
  ownKeys (shell) { return [...Object.keys(this.#special()), ...super.ownKeys(shell)] }

  /** @param {object} shell @param {string | symbol} name @returns {PropertyDescriptor | undefined} */
  getOwnPropertyDescriptor (shell, name) {
    if (!isSpecial(name)) return super.getOwnPropertyDescriptor(shell, name)
    const value = this.get(shell, name, undefined)
    return value === undefined ? undefined : { value, writable: false, enumerable: true, configurable: true }
  }
}

/** @param {string | symbol} name @returns {name is string} */
function isSpecial (name) { return typeof name === 'string' && Object.hasOwn(SPECIAL, name) }

/**
 * The document that an object is; undefined of anything else.
 *
 * @param {unknown} object
 */
function documentOf (object) {
  const node = nodeOf(object)
  return node?.isDocument === true ? node.document : undefined
}

module.exports = { DocumentNode, conflicts, documentOf }
