'use strict'

const { createError } = require('@potoroo/errors')
const { bodyTerm } = require('./couch-hash')
const { editHash } = require('./edit-hash')
const { isRefusal } = require('./apply-edits')
const { parseEdits } = require('./parse-edits')
const { NO_ATTACHMENTS } = require('./resolve-attachments')
const { Turn } = require('../json/turn')
const { LONG, MOST_EDITS, writeEdits } = require('./write')

/**
 * Writes that one thread prepares and another commits. The thread that has the request takes its documents apart and works
 * out the hash of each edit, which depends on nothing that is stored but the parent that the edit names. The owner of
 * the database does all the rest as with any other edit. The hash is not used if the edit follows another revision: one
 * without a parent that creates a deleted document again.
 *
 * @import { Core } from '../store/core'
 * @import { PreparedResult, WriteOptions } from '../..'
 * @import { Edit } from './validate'
 */

/** Texts of one edit: its id, marks, parent or path, hash, and body. */
const PARTS = 5

/** Options of a write that is prepared; the others must not be there. */
const TAKEN = new Set(['newEdits', 'strict', 'checkLocal', 'user'])

/**
 * @param {Core} core
 * @param {Record<string, any>[]} docs
 * @param {WriteOptions} options
 * @returns {Promise<string[] | null>} the edits; null where the owner has to be given the documents, to write them or to refuse them
 */
async function prepareEdits (core, docs, options) {
  core.assertOpen()
  if (core.byDocument || !Array.isArray(docs) || docs.length === 0 || docs.length > MOST_EDITS || !areTaken(options)) return null
  const edits = await parseEdits(core, docs, options.newEdits ?? true, false)
  if (edits.some(edit => isRefusal(edit) || edit.local || edit.attachments !== null)) return null
  const turn = new Turn()
  const texts = [String(core.options.deterministicRevs)]
  for (const edit of /** @type {Edit[]} */ (edits)) {
    if (turn.isLong) await turn.end()
    if (edit.body.length > LONG && edit.path === null) edit.term = await bodyTerm(edit.body)
    addTo(texts, edit, core.options.deterministicRevs)
  }
  return texts
}

/** @param {Record<string, any>} options */
function areTaken (options) {
  for (const name in options) if (!TAKEN.has(name) && options[name] !== undefined && options[name] !== false) return false
  return true
}

/** @param {string[]} texts @param {Edit} edit @param {boolean | 'couchdb'} kind */
function addTo (texts, edit, kind) {
  const { id, fresh, parent, path, deleted, body, term, sent } = edit
  const hash = path !== null || kind === false ? '' : editHash(deleted, parent, NO_ATTACHMENTS.infos, body, kind, { body: term, sent })
  texts.push(id, `${deleted ? 'd' : ''}${fresh ? 'f' : ''}${path === null ? '' : 'p'}`, path === null ? parent ?? '' : JSON.stringify(path), hash, body)
}

/** @param {string[]} texts @param {boolean | 'couchdb'} kind of hashes here @returns {Edit[]} */
function editsOf (texts, kind) {
  const edits = []
  const isKind = texts[0] === String(kind)
  for (let i = 1; i < texts.length; i += PARTS) {
    const [marks, origin, hash] = [texts[i + 1], texts[i + 2], texts[i + 3]]
    const hasPath = marks.includes('p')
    edits.push({
      id: texts[i],
      fresh: marks.includes('f'),
      local: false,
      parent: hasPath || origin === '' ? null : origin,
      path: hasPath ? JSON.parse(origin) : null,
      deleted: marks.includes('d'),
      body: texts[i + 4],
      hash: isKind && hash !== '' ? hash : undefined,
      sent: undefined,
      attachments: null
    })
  }
  return edits
}

/**
 * Commits edits that another thread has prepared.
 *
 * @param {Core} core
 * @param {string[]} texts of `prepareEdits`
 * @param {Pick<WriteOptions, 'user'>} options
 * @returns {Promise<PreparedResult[]>}
 */
async function writePrepared (core, texts, options) {
  const results = await writeEdits(core, editsOf(texts, core.options.deterministicRevs), options)
  return results.map(resultOf)
}

/** @param {any} result @returns {PreparedResult} */
function resultOf (result) {
  if (!isRefusal(result)) return result.rev
  const { code, reason, id, rev } = result
  return { code, reason, id, rev }
}

/**
 * The results as `write` gives them.
 *
 * @param {string[]} texts
 * @param {PreparedResult[]} results
 */
function resultsOf (texts, results) {
  return results.map((result, i) => {
    if (typeof result === 'string') return { ok: true, id: texts[1 + i * PARTS], rev: result }
    const { code, ...details } = result
    return createError(code, details)
  })
}

module.exports = { prepareEdits, resultsOf, writePrepared }
