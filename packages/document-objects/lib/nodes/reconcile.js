'use strict'

const { become, byRaw, committedOf, placesIn, stateOf } = require('./nodes')

/**
 * Lets objects that users hold go on as what is at their place.
 *
 * @typedef {import('./nodes').Raw} Raw
 * @typedef {import('./node').Node} Node
 */

/**
 * Brings another state into a tree of which users hold parts: what is of the same kind, and at the same place, stays the
 * same object.
 *
 * @param {any} target
 * @param {any} source of the same kind; parts of it are taken over
 * @param {(former: Raw, later: Raw) => boolean} [mayGoOn] whether an object at a place goes on as the later one there; it does then
 */
function reconcile (target, source, mayGoOn = () => true) {
  const rest = [[target, source]]
  for (const [to, from] of rest) {
    succeed(from, to)
    for (const name of Object.keys(from)) {
      if (!Object.hasOwn(to, name) || to[name] === from[name] || !areAlike(to[name], from[name]) || !mayGoOn(to[name], from[name])) continue
      rest.push([to[name], from[name]])
      from[name] = to[name]
    }
    become(to, from)
  }
}

/** Lets those who hold an object see what another one is from here on, which has its place. @param {Raw} raw @param {Raw} successor */
function succeed (raw, successor) {
  const node = byRaw.get(raw)
  if (node !== undefined) node.successor = byRaw.get(successor) ?? null
}

/**
 * Makes what a transaction has made of objects the present. An object that another of its kind has replaced goes on as that, unless it
 * was moved, or the other was.
 *
 * @param {Raw} root of their document
 * @param {Node[]} nodes that were changed
 */
function adopt (root, nodes) {
  const replaced = nodes.flatMap(replacedIn)
  if (replaced.length === 0) return nodes.forEach(becomeDraft)
  const there = rawsIn(root, stateOf)
  const wereThere = rawsIn(root, committedOf)
  nodes.forEach(becomeDraft)
  /** Objects that go on: in a list that was replaced, one of them would lie twice. @type {Set<Raw>} */
  const goOn = new Set()
  const mayGoOn = (/** @type {Raw} */ former, /** @type {Raw} */ later) => {
    const may = byRaw.has(former) && !there.has(former) && !goOn.has(former) && !wereThere.has(later)
    if (may) goOn.add(former)
    return may
  }
  for (const { holder, name, former } of replaced) {
    // An object lies in a new one since this transaction: it was committed somewhere else.
    if (!wereThere.has(holder) || !there.has(holder) || !mayGoOn(former, holder[name])) continue
    reconcile(former, holder[name], mayGoOn)
    holder[name] = former
  }
}

/** @param {Raw} root @param {(raw: any) => any} contentOf */
function rawsIn (root, contentOf) {
  const raws = new Set([root])
  for (const { raw } of placesIn(root, contentOf)) raws.add(raw)
  return raws
}

/** The places in which a draft has another object of the same kind, where somebody has looked at the one before. @param {Node} node */
function replacedIn ({ raw: holder, draft }) {
  if (draft === undefined) return []
  const names = Object.keys(draft).filter(name => Object.hasOwn(holder, name) && holder[name] !== draft[name] && areAlike(holder[name], draft[name]) && byRaw.has(holder[name]))
  return names.map(name => ({ holder, name, former: holder[name] }))
}

/** @param {Node} node */
function becomeDraft ({ raw, draft }) { if (draft !== undefined) become(raw, draft) }

/** @param {any} a @param {any} b */
function areAlike (a, b) {
  return typeof a === 'object' && typeof b === 'object' && a !== null && b !== null && Array.isArray(a) === Array.isArray(b)
}

module.exports = { adopt, reconcile }
