'use strict'

const { badRequest, createError } = require('@potoroo/errors')
const { positionOf } = require('../access/member-changes')
const { MemberDocuments } = require('../access/member-documents')
const { loadAttachments } = require('../attachments/attachments')
const { assertReadable } = require('../commit/validate')
const { DocumentRecord } = require('../media/record')
const { nextPage } = require('../reading/cursor')
const { Turn } = require('../json/turn')
const { makeDocument } = require('../reading/document')
const { keyRange } = require('../reading/key-range')
const { PartSize, TARGET_OF_SLOW } = require('../reading/part-size')
const { requirePartition } = require('../store/partition')
const { momentOf, notRetained } = require('./moment')
const { lastUntil } = require('./last-until')
const { decodeVersion, presentVersion } = require('./version')

/**
 * @import { Core } from '../store/core'
 * @import { Snapshot } from '../media/keyspace'
 * @import { AllDocsOptions, AllDocsRow, Document, GetOptions, ReadOptions } from '../..'
 * @import { Member } from '../access/member'
 * @import { Moment } from './moment'
 * @import { Version } from './version'
 *
 * @typedef {Version & { payload: string }} WholeVersion
 */

/** Options for what the revision tree says: that of a moment is not kept. @type {Array<keyof (GetOptions & AllDocsOptions)>} */
const UNKNOWN = ['rev', 'latest', 'revs', 'revsInfo', 'conflicts', 'deletedConflicts', 'localSeq', 'attsSince']

/** @param {Record<string, any>} options */
function refuseUnknown (options) {
  const name = UNKNOWN.find((each) => options[each] !== undefined && options[each] !== false)
  if (name !== undefined) throw badRequest(`\`at\` does not go with \`${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}\``)
}

/**
 * Returns a document as it was at a moment.
 *
 * @param {Core} core
 * @param {string} id
 * @param {GetOptions} options
 * @returns {Promise<Document>} throws MISSING, DELETED, NOT_RETAINED
 */
async function getAt (core, id, options) {
  assertReadable(id)
  core.assertOpen()
  if (core.partitioned) requirePartition(id)
  refuseUnknown(options)
  const snapshot = core.keyspace.snapshot()
  const release = core.hold(() => snapshot.close())
  try {
    const moment = await momentOf(core, options.at, options.as, snapshot)
    const text = await core.keyspace.get(core.layout.document(id), snapshot)
    if (options.as !== undefined && !isShown(options.as, id, text)) throw createError('MISSING', { id })
    const version = shownVersion(options.as, id, await versionAt(core, id, text, moment, snapshot))
    if (version === null) throw createError('MISSING', { id })
    if (version.deleted) throw createError('DELETED', { id, rev: version.rev })
    return await documentOf(core, id, version, options, snapshot)
  } finally {
    await release()
  }
}

/** Whether a member may see a document now: its earlier versions are theirs only then. @param {Member} as @param {string} id @param {string | undefined} text */
function isShown (as, id, text) { return text !== undefined && as.reads(id, new DocumentRecord(text).access) }

/** Returns a version unless a member could not see it. @param {Member | undefined} as @param {string} id @param {WholeVersion | null} version */
function shownVersion (as, id, version) {
  return version === null || as === undefined || as.readsPayload(id, version.payload) ? version : null
}

/**
 * @param {Core} core
 * @param {string} id
 * @param {WholeVersion} version
 * @param {ReadOptions} options
 * @param {Snapshot} snapshot
 */
async function documentOf (core, id, version, options, snapshot) {
  const { rev, deleted, payload } = version
  const document = await makeDocument(id, rev, deleted, payload)
  if (options.meta) document.meta = metaOf(version, options)
  // `attsSince` does not come here: it would need the record.
  if (options.attachments && document.attachments !== null) await loadAttachments(core, document, /** @type {any} */ (null), options, snapshot)
  return document
}

/**
 * Finds the version that a document had at a moment.
 *
 * @param {Core} core
 * @param {string} id
 * @param {string | undefined} text the document's record
 * @param {Moment} moment
 * @param {Snapshot} snapshot
 * @returns {Promise<WholeVersion | null>} null where it was not there
 * @throws NOT_RETAINED
 */
async function versionAt (core, id, text, moment, snapshot) {
  // A purge leaves no versions either.
  if (text === undefined) return missing(id, moment)
  const present = presentVersion(new DocumentRecord(text))
  if (moment.isAfter(present)) return present
  const version = await lastUntil(core, id, moment, snapshot)
  if (version === null || moment.isBeyond(version)) return missing(id, moment)
  return wholeVersion(core, id, version, present, snapshot)
}

/** @param {string} id @param {Moment} moment */
function missing (id, moment) {
  if (!moment.isWhole) throw notRetained({ id })
  return null
}

/**
 * Returns a version with its payload, which may be that of the versions after it.
 *
 * @param {Core} core
 * @param {string} id
 * @param {Version} version
 * @param {WholeVersion} present
 * @param {Snapshot} snapshot
 * @returns {Promise<WholeVersion>}
 */
async function wholeVersion (core, id, version, present, snapshot) {
  const turn = new Turn()
  let { payload, until } = version
  while (payload === null) {
    const next = until === present.seq ? present : await readVersion(core, id, until, snapshot)
    if (next.rev !== version.rev) throw notRetained({ id })
    ;({ payload, until } = next)
    if (turn.isLong) await turn.end()
    core.assertOpen()
  }
  return { ...version, payload }
}

/** @param {Core} core @param {string} id @param {number} seq @param {Snapshot} snapshot */
async function readVersion ({ keyspace, layout }, id, seq, snapshot) {
  const text = await keyspace.get(layout.version(id, seq), snapshot)
  if (text === undefined) throw notRetained({ id })
  return decodeVersion(seq, text)
}

/**
 * Returns the documents as they were at a moment: see `allDocs`.
 *
 * @param {Core} core
 * @param {AllDocsOptions} options
 * @returns {Promise<import('../..').AllDocsResult>}
 */
async function allDocsAt (core, options) {
  refuseUnknown(options)
  core.assertOpen()
  const snapshot = core.keyspace.snapshot()
  const release = core.hold(() => snapshot.close())
  try {
    await wholeMoment(core, options, snapshot)
  } finally {
    await release()
  }
  const rows = options.keys === undefined ? rowsOfRange(core, options) : rowsOfKeys(core, options)
  return { totalRows: null, offset: null, updateSeq: options.as === undefined ? core.totals.seq : await lastOf(core, options.as), rows }
}

/** @param {Core} core @param {AllDocsOptions} options @param {Snapshot} snapshot @returns {Promise<Moment>} throws NOT_RETAINED */
async function wholeMoment (core, { at, as }, snapshot) {
  const moment = await momentOf(core, at, as, snapshot)
  if (!moment.isWhole) throw notRetained()
  return moment
}

/** Returns the last sequence of a member's documents. @param {Core} core @param {Member} as @returns {Promise<any>} */
async function lastOf (core, as) {
  const snapshot = core.keyspace.snapshot()
  const release = core.hold(() => snapshot.close())
  try {
    const { totals } = await core.momentOf(snapshot)
    return await positionOf(core, as, totals.seq, snapshot)
  } finally {
    await release()
  }
}

/** @param {Core} core @param {AllDocsOptions} options */
async function * rowsOfRange (core, options) {
  const { layout } = core
  let { skip = 0, limit = Infinity } = options
  if (limit <= 0) return
  const snapshot = core.keyspace.snapshot()
  const iterator = recordsOf(core, options, snapshot)
  const release = core.hold(async () => {
    await iterator.close()
    await snapshot.close()
  })
  const page = new PartSize(TARGET_OF_SLOW)
  const turn = new Turn()
  try {
    // It may have been dropped since.
    const moment = await wholeMoment(core, options, snapshot)
    while (limit > 0) {
      const entries = await nextPage(core, iterator, page.rows)
      if (entries.length === 0) return
      page.learnWeight(entries.length, entries.reduce((sum, [, text]) => sum + text.length, 0))
      const rows = []
      for (const [key, text] of entries) {
        const version = shownVersion(options.as, layout.idOf(key), await versionAt(core, layout.idOf(key), text, moment, snapshot))
        if (version === null || version.deleted) continue
        if (skip > 0) skip--
        else if (rows.length < limit) rows.push(await rowOf(core, layout.idOf(key), version, options, snapshot))
        if (turn.isLong) await turn.end()
      }
      limit -= rows.length
      if (rows.length > 0) yield rows
    }
  } finally {
    await release()
  }
}

/** The records that there are now, deleted ones too. @param {Core} core @param {AllDocsOptions} options @param {Snapshot} snapshot */
function recordsOf (core, options, snapshot) {
  if (options.as !== undefined) return new MemberDocuments(core, options, options.as.principals, snapshot)
  const { keyspace, layout } = core
  return keyspace.entries({ ...keyRange(layout.range(layout.documents), (id) => layout.document(id), options), snapshot })
}

/** @param {Core} core @param {AllDocsOptions} options */
async function * rowsOfKeys (core, options) {
  const { skip = 0, limit = Infinity, descending = false, keys = [] } = options
  const wanted = (descending ? [...keys].reverse() : keys).slice(skip, skip + limit)
  const snapshot = core.keyspace.snapshot()
  const release = core.hold(() => snapshot.close())
  const page = new PartSize(TARGET_OF_SLOW)
  const turn = new Turn()
  try {
    const moment = await wholeMoment(core, options, snapshot)
    for (let at = 0; at < wanted.length;) {
      const part = wanted.slice(at, at + page.rows)
      at += part.length
      const texts = await core.keyspace.getMany(part.map((key) => core.layout.readable(key)), snapshot)
      core.assertOpen()
      page.learnWeight(part.length, texts.reduce((sum, text) => sum + (text?.length ?? 0), 0))
      const rows = []
      for (const [i, key] of part.entries()) {
        const version = options.as === undefined || isShown(options.as, key, texts[i]) ? await versionAt(core, key, texts[i], moment, snapshot) : null
        rows.push(await rowOfKey(core, key, shownVersion(options.as, key, version), options, snapshot))
        if (turn.isLong) await turn.end()
      }
      yield rows
      await core.keyspace.turn()
    }
  } finally {
    await release()
  }
}

/**
 * @param {Core} core
 * @param {string} key
 * @param {WholeVersion | null} version
 * @param {AllDocsOptions} options
 * @param {Snapshot} snapshot
 * @returns {Promise<AllDocsRow>}
 */
async function rowOfKey (core, key, version, options, snapshot) {
  if (version === null) return { key, error: 'not_found' }
  if (!version.deleted) return rowOf(core, key, version, options, snapshot)
  const value = { rev: version.rev, deleted: /** @type {const} */ (true), ...(options.meta && { meta: metaOf(version, options) }) }
  return { id: key, key, value, ...(options.includeDocs && { document: null }) }
}

/**
 * @param {Core} core
 * @param {string} id
 * @param {WholeVersion} version
 * @param {AllDocsOptions} options
 * @param {Snapshot} snapshot
 * @returns {Promise<AllDocsRow>}
 */
async function rowOf (core, id, version, options, snapshot) {
  const value = { rev: version.rev, ...(options.meta && { meta: metaOf(version, options) }) }
  return options.includeDocs ? { id, key: id, value, document: await documentOf(core, id, version, options, snapshot) } : { id, key: id, value }
}

/** @param {Version} version @param {ReadOptions} options */
function metaOf ({ time, user, seq }, { as }) { return as === undefined ? { time, user, seq } : { time, user } }

module.exports = { allDocsAt, getAt }
