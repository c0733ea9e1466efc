'use strict'

const madeUp = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32}/g

/** Members that differ between adapters by their nature. */
const own = new Set(['adapter', 'backend_adapter'])

/**
 * An answer without what a database makes up: revisions and ids become `#1`, `#2`… in the order in
 * which they come.
 *
 * @param {any} answer
 * @param {string} name of the database
 */
function normalise (answer, name) {
  const labels = new Map()
  const label = (text) => {
    if (!labels.has(text)) labels.set(text, `#${labels.size + 1}`)
    return labels.get(text)
  }
  return walk(answer, (text) => text.replaceAll(name, 'NAME').replace(madeUp, label))
}

function walk (value, rename) {
  if (typeof value === 'string') return rename(value)
  if (value === null || typeof value !== 'object') return value
  if (value instanceof Error) return walk(describeError(value), rename)
  if (value.refused !== undefined) return { refused: describeError(value.refused) }
  if (Buffer.isBuffer(value)) return { buffer: value.toString('hex'), type: /** @type {any} */ (value).type }
  if (Array.isArray(value)) return value.map((member) => walk(member, rename))
  const members = Object.entries(value).filter(([key, member]) => member !== undefined && typeof member !== 'function' && !own.has(key))
  return Object.fromEntries(members.map(([key, member]) => [rename(key), walk(member, rename)]))
}

/**
 * Picks the members by which an application tells errors apart. `docId` and `id` come and go in PouchDB's adapters, and
 * so does the reason of what is just missing.
 */
function describeError ({ status, name, message, reason }) {
  return { status, name, message, reason: reason === 'missing' ? undefined : reason }
}

module.exports = { normalise, describeError }
