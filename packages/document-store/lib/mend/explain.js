'use strict'

const { Layout } = require('../media/layout')

/** Stores that can be computed from the rest, or are told of otherwise. */
const DERIVED = new Set(['a', 'c', 'i', 's', 't', 'u'])

/** Contents of stores, in words. @type {Record<string, string | undefined>} */
const STORES = { d: 'document', h: 'version', l: 'local', p: 'purge', r: 'revision', m: 'value' }

/**
 * Says what the loss of a key, or of a range of keys, means for databases.
 *
 * @param {string} prefix of the catalogue
 * @param {Map<string, string>} names by number
 * @param {import('../..').Missing} missing
 * @returns {import('../..').Loss | null} null where nothing is lost by it that a user would miss
 */
function explain (prefix, names, { kind, from, to }) {
  const first = placeOf(prefix, names, from)
  if (kind === 'value') return lossOfKey(first, from)
  const last = to === undefined ? null : placeOf(prefix, names, to)
  const isOneStore = first !== null && last !== null && first.number === last.number && first.store === last.store
  if (isOneStore && DERIVED.has(first.store)) return null
  const of = isOneStore ? STORES[first.store] : undefined
  if (!isOneStore || of === undefined) return { kind: 'range', from: textOf(from), to: to && textOf(to) }
  return { database: first.database, kind: 'range', of, from: first.rest, to: last.rest }
}

/** @param {ReturnType<typeof placeOf>} place @param {Buffer} key @returns {import('../..').Loss | null} */
function lossOfKey (place, key) {
  if (place === null) return { kind: 'range', from: textOf(key), to: textOf(key) }
  const { database, store, rest, layout } = place
  if (DERIVED.has(store)) return null
  if (store === 'd') return { database, kind: 'document', id: rest }
  if (store === 'l') return { database, kind: 'local', id: rest }
  if (store === 'r') {
    const { id, rev } = layout.revisionOf(key.toString())
    return { database, kind: 'revision', id, rev }
  }
  if (store === 'h') return { database, kind: 'version', ...layout.versionOf(key.toString()) }
  if (store === 'm') return rest === 'state' || rest === 'database' ? null : { database, kind: 'value', name: rest.replace(/^user:/, '') }
  return { kind: 'range', from: textOf(key), to: textOf(key) }
}

/**
 * Returns the place of a key; null if it is no key of a database that there is.
 *
 * @param {string} prefix
 * @param {Map<string, string>} names
 * @param {Buffer} key
 */
function placeOf (prefix, names, key) {
  const text = key.toString()
  const match = /^b([1-9]\d*)\/(.)/.exec(text.startsWith(prefix) ? text.slice(prefix.length) : '')
  const database = match === null ? undefined : names.get(match[1])
  if (match === null || database === undefined) return null
  const layout = new Layout(`${prefix}b${match[1]}/`)
  return { number: match[1], database, store: match[2], rest: text.slice(layout.documents.length), layout }
}

/**
 * Returns a key as text if it is some, else in hexadecimal.
 *
 * @param {Buffer} key
 */
function textOf (key) {
  const text = key.toString()
  return Buffer.from(text).equals(key) ? text : `0x${key.toString('hex')}`
}

module.exports = { explain }
