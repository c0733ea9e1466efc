'use strict'

const { badRequest, createError } = require('@potoroo/errors')
const { isStorable } = require('../commit/storable')
const { after } = require('../media/layout')
const { keyRange } = require('../reading/key-range')
const { Turn } = require('../json/turn')
const { LOCAL, parseDocument } = require('../commit/validate')

/**
 * @import { Core } from './core'
 * @import { Edit } from '../commit/validate'
 * @import { Commit } from '../commit/commit'
 * @import { Member } from '../access/member'
 * @import { DocumentInput, RangeOptions, WriteOptions } from '../..'
 *
 * @typedef {Pick<WriteOptions, 'keepLocal' | 'checkLocal'> & { as?: Member }} LocalOptions as: whose, see layout.js
 */

/** Documents that are read at once. */
const PAGE = 256

/**
 * Local documents: no history, no sequence, never in changes or among the documents. Their
 * revisions count: `0-1`, `0-2`. A record is revision '\n' body.
 *
 * @see https://docs.couchdb.org/en/stable/api/local.html
 */

/**
 * Applies an edit to a local document inside a commit, or throws.
 *
 * @param {Commit} commit
 * @param {Edit} edit
 */
function editLocal (commit, edit) {
  const rev = nextLocal(commit, edit)
  commit.setLocal(edit.id, spaceOf(edit.as), edit.deleted ? undefined : `${rev}\n${edit.body}`)
  return { ok: true, id: LOCAL + edit.id, rev }
}

/**
 * Returns the revision that an edit will give a local document, or throws what refuses it.
 *
 * @param {Commit} commit
 * @param {Edit} edit
 */
function nextLocal (commit, edit) {
  const rev = localRevision(commit, edit.id, edit.as)
  const { checked, deleted, parent } = edit
  if (deleted && (rev === null || (parent !== null && parent !== rev && checked !== false))) throw createError('MISSING')
  if (deleted) return '0-0'
  if (parent !== rev && checked !== false) throw createError('CONFLICT')
  return `0-${parent === null ? 1 : Number(parent.slice(2)) + 1}`
}

/**
 * The revision of a local document inside a commit, null where there is none.
 *
 * @param {Commit} commit
 * @param {string} id without `_local/`
 * @param {Member} [as] whose, see layout.js
 */
function localRevision (commit, id, as) {
  const text = commit.local(id, spaceOf(as))
  return text === undefined ? null : revOf(text)
}

/** The space that a user's local documents are in; null is the database's. @param {Member | undefined} as */
function spaceOf (as) { return as === undefined ? null : as.space }

/** @param {string} text */
function revOf (text) {
  return text.slice(0, text.indexOf('\n'))
}

/** @param {string} id @param {string} text */
function decodeLocal (id, text) {
  const end = text.indexOf('\n')
  return { id: LOCAL + id, rev: text.slice(0, end), body: text.slice(end + 1) }
}

/** @param {Core} core @param {string} id with `_local/` @param {Member} [as] */
async function getLocal (core, id, as) {
  const own = id.startsWith(LOCAL) ? id.slice(LOCAL.length) : id
  const text = isStorable(own) ? await core.keyspace.get(core.layout.localIn(own, spaceOf(as))) : undefined
  if (text === undefined) throw createError('MISSING', { id })
  return decodeLocal(own, text)
}

/** @param {Core} core @param {DocumentInput} doc @param {LocalOptions} [options] */
function putLocal (core, doc, options) {
  return writeLocal(core, doc, options)
}

/**
 * @param {Core} core
 * @param {{ _id: string, _rev?: string }} doc
 * @param {LocalOptions} [options]
 */
function removeLocal (core, doc, options) {
  return writeLocal(core, { _id: doc._id, _rev: doc._rev, _deleted: true }, options)
}

/**
 * @param {Core} core
 * @param {DocumentInput} doc
 * @param {LocalOptions} [options]
 */
async function writeLocal (core, doc, { keepLocal = false, checkLocal = true, as } = {}) {
  const edit = parseDocument(doc, true, keepLocal)
  edit.checked = checkLocal
  edit.as = as
  if (!edit.local) throw badRequest('Not a local document')
  const keys = core.keyspace.sync ? [] : [core.layout.localIn(edit.id, spaceOf(as))]
  const result = await core.queue.push({ keys, kept: edit.deleted ? 'half' : undefined, apply: (commit) => outcome(() => editLocal(commit, edit)) })
  if (result instanceof Error) throw result
  return result
}

/**
 * Returns a refusal instead of throwing it: it is this writer's alone and must not fail the commit.
 *
 * @template T
 * @param {() => T} action
 * @returns {T | Error}
 */
function outcome (action) {
  try {
    return action()
  } catch (error) {
    return error
  }
}

/** @param {Core} core @param {RangeOptions & { keys?: string[] }} [options] @param {Member} [as] */
async function allLocal (core, options = {}, as = undefined) {
  const { keys, skip = 0, limit } = options
  if (keys !== undefined) return localsOf(core, keys, as)
  const { layout } = core
  const first = layout.localIn('', spaceOf(as))
  const range = keyRange({ gte: first, lt: after(first) }, (id) => first + strip(id), options)
  const entries = await core.keyspace.entries({ ...range, limit: limit === undefined ? -1 : skip + limit }).all()
  return entries.slice(skip).map(([key, text]) => decodeLocal(key.slice(first.length), text))
}

/**
 * Takes `_local/` off: a bound with it and one without mean the same.
 *
 * @param {string} key
 */
function strip (key) {
  return key.startsWith(LOCAL) ? key.slice(LOCAL.length) : key
}

/** @param {Core} core @param {string[]} keys @param {Member} [as] */
async function localsOf (core, keys, as) {
  const turn = new Turn()
  const found = []
  for (let at = 0; at < keys.length; at += PAGE) {
    core.assertOpen()
    const own = keys.slice(at, at + PAGE).filter(isStorable).map(strip)
    const texts = await core.keyspace.getMany(own.map((id) => core.layout.localIn(id, spaceOf(as))))
    for (const [i, text] of texts.entries()) if (text !== undefined) found.push(decodeLocal(own[i], text))
    if (turn.isLong) await turn.end()
  }
  return found
}

module.exports = { decodeLocal, spaceOf, editLocal, localRevision, nextLocal, getLocal, putLocal, removeLocal, allLocal }
