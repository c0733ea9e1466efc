'use strict'

/**
 * Keeps what stands behind the objects that users hold. JSON of a document is plain objects and arrays, the committed
 * state; each that somebody has looked at has a node, and that a Proxy.
 *
 * @typedef {Record<string, any> | any[]} Raw
 * @typedef {{ raw: any, holder: Place | undefined, name: string }} Place of an object; a document lies in none
 * @typedef {import('./node').Node} Node
 */

/** @type {WeakMap<object, Node>} */
const byRaw = new WeakMap()

/** @type {WeakMap<object, Node>} */
const byProxy = new WeakMap()

/**
 * The node of an object that a user holds; undefined where it is none of ours.
 *
 * @param {unknown} object
 */
function nodeOf (object) { return byProxy.get(/** @type {object} */ (object))?.current }

/** Gives an object as the transaction under way has it. @param {any} raw @returns {any} */
function stateOf (raw) { return byRaw.get(raw)?.draft ?? raw }

/** Gives it as it is committed. @param {any} raw @returns {any} */
function committedOf (raw) { return raw }

/**
 * Goes through the places of the objects in another one, outer ones first. An object at several is gone through once.
 *
 * @param {any} raw it is not among them
 * @param {(raw: any) => any} [contentOf]
 * @returns {Generator<Place, void>}
 */
function * placesIn (raw, contentOf = stateOf) {
  /** @type {Place[]} */
  const rest = [{ raw, holder: undefined, name: '' }]
  const seen = new Set()
  for (const holder of rest) {
    const content = contentOf(holder.raw)
    for (const name of Object.keys(content)) {
      const inner = content[name]
      if (typeof inner !== 'object' || inner === null) continue
      const place = { raw: inner, holder, name }
      if (!seen.has(inner)) rest.push(place)
      seen.add(inner)
      yield place
    }
  }
}

/** Whether an object is another one, or lies in it. @param {any} raw @param {any} outer */
function liesIn (raw, outer) {
  if (raw === outer) return true
  for (const place of placesIn(outer)) if (place.raw === raw) return true
  return false
}

/**
 * Plain JSON of a value as the transaction under way has it, with nothing shared.
 *
 * @param {any} value
 * @returns {any}
 */
function presentJson (value) { return copyJson(value, stateOf) }

/**
 * The same of what is committed.
 *
 * @param {any} value
 * @returns {any}
 */
function committedJson (value) { return copyJson(value, committedOf) }

/**
 * Copies JSON of any depth.
 *
 * @param {any} value
 * @param {(raw: Raw) => any} contentOf what to copy of an object
 * @param {(value: any) => any} [leafOf] what becomes of others
 */
function copyJson (value, contentOf, leafOf = leaf => leaf) {
  /** @type {Array<[any, any]>} */
  const rest = []
  /** @param {any} each */
  const copyOf = (each) => {
    if (typeof each !== 'object' || each === null) return leafOf(each)
    const raw = contentOf(each)
    const made = Array.isArray(raw) ? [] : {}
    rest.push([raw, made])
    return made
  }
  const copy = copyOf(value)
  for (const [raw, made] of rest) copyMembers(raw, made, copyOf)
  return copy
}

/** @param {any} raw @param {any} made gets them @param {(value: any) => any} copyOf */
function copyMembers (raw, made, copyOf) {
  if (!Array.isArray(raw)) for (const name of Object.keys(raw)) setOwn(made, name, copyOf(raw[name]))
  // Holes are null in JSON.
  else for (const element of raw) made.push(element === undefined ? null : copyOf(element))
}

/**
 * Sets a member whatever its name: `__proto__` is one like others.
 *
 * @param {any} raw
 * @param {string} name
 * @param {unknown} value
 */
function setOwn (raw, name, value) {
  if (name === '__proto__') Object.defineProperty(raw, name, { value, writable: true, enumerable: true, configurable: true })
  else raw[name] = value
}

/**
 * Makes one object what another is, so that whoever holds it sees that.
 *
 * @param {any} target
 * @param {any} source of the same kind
 */
function become (target, source) {
  if (Array.isArray(target)) {
    target.length = source.length
    for (let i = 0; i < source.length; i++) target[i] = source[i] === undefined ? null : source[i]
    return
  }
  const names = Object.keys(source)
  const former = Object.keys(target)
  if (former.some((name, i) => names[i] !== name)) for (const name of former) delete target[name]
  for (const name of names) setOwn(target, name, source[name])
}

module.exports = { become, byProxy, byRaw, committedJson, committedOf, copyJson, liesIn, nodeOf, placesIn, presentJson, setOwn, stateOf }
