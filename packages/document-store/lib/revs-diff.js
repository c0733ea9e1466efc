'use strict'

const { requirePartition } = require('./partition')
const { DocumentRecord } = require('./record')
const { parseRevision } = require('./revision')
const { decodeTree } = require('./revision-tree/encode')
const { leavesOf } = require('./revision-tree/leaves')
const { normaliseRevision } = require('./validate')

/**
 * Which revisions are not here.
 *
 * @param {import('./core').Core} core
 * @param {Record<string, string[]>} request
 * @returns {Promise<Record<string, { missing: string[], possible_ancestors?: string[] }>>}
 * @see https://docs.couchdb.org/en/stable/api/database/misc.html#db-revs-diff
 */
async function revsDiff (core, request) {
  core.assertOpen()
  const ids = Object.keys(request)
  if (core.partitioned) ids.forEach(requirePartition)
  const texts = await core.keyspace.getMany(ids.map((id) => core.layout.readable(id)))
  /** @type {Record<string, { missing: string[], possible_ancestors?: string[] }>} */
  const answer = {}
  for (let i = 0; i < ids.length; i++) {
    const diff = diffOf(texts[i], [...new Set(request[ids[i]].map(normaliseRevision))])
    if (diff !== null) setOwn(answer, ids[i], diff)
  }
  return answer
}

function diffOf (text, revs) {
  if (text === undefined) return revs.length === 0 ? null : { missing: revs }
  const record = new DocumentRecord(text)
  if (revs.length === 1 && revs[0] === record.rev) return null
  const tree = decodeTree(record.tree, record.deleted)
  const missing = revs.filter((rev) => !tree.has(rev))
  if (missing.length === 0) return null
  const ancestors = possibleAncestors(tree, missing)
  return ancestors.length === 0 ? { missing } : { missing, possible_ancestors: ancestors }
}

/** Leaves that are older than one of the missing revisions. */
function possibleAncestors (tree, missing) {
  const newest = missing.reduce((most, rev) => Math.max(most, parseRevision(rev).generation), 0)
  return leavesOf(tree).filter((leaf) => leaf.generation < newest).map((leaf) => leaf.rev)
}

/** Ids may be any string. Defining a property takes much longer than assigning it. */
function setOwn (object, key, value) {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
}

module.exports = { revsDiff }
