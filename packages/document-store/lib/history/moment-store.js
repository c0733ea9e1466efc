'use strict'

const { createError } = require('@potoroo/errors')
const { Totals } = require('../commit/totals')
const { Keyspace, put } = require('../media/keyspace')
const { Layout } = require('../media/layout')
const { encodeChange, encodeDocument, encodeOrigin, encodePayload } = require('../media/record')
const { LAYOUT_VERSION } = require('../media/upgrade')
const { encodeRevision } = require('../revision-tree/revision')

/**
 * @import { Document, DocumentStore, Moment, Origin } from '../..'
 * @import { Operation } from '../media/keyspace'
 *
 * @typedef {Document & { meta: Origin & { seq: number } }} Dated
 */

/** Documents, and UTF-16 units of their bodies, that are taken at most. */
const MOST_DOCUMENTS = 10_000
const MOST_UNITS = 32 * 1024 * 1024

/**
 * Fills a level with the documents of a database as they were at a moment, for `DocumentStore.open`: what reads a database
 * reads it like any other. Design documents are those of now, as far as they are named. Contents of attachments are not
 * there.
 *
 * @param {Pick<DocumentStore, 'allDocs' | 'get' | 'instanceId' | 'partitioned'>} store
 * @param {import('../media/keyspace').Level} level an empty one, in memory
 * @param {{ at: Moment, partition?: string, designs?: string[] }} options
 * @throws TOO_LARGE of too many documents, and what `allDocs` throws
 */
async function fillMoment (store, level, { at, partition, designs = [] }) {
  const keyspace = new Keyspace(level)
  const layout = new Layout('')
  const filling = new Filling(layout)
  const { rows } = await store.allDocs({ at, partition, includeDocs: true, meta: true })
  for await (const page of rows) {
    for (const { document } of /** @type {Array<{ document: Dated }>} */ (page)) if (!document.id.startsWith('_design/')) filling.add(document)
    await keyspace.write(filling.take())
  }
  for (const id of designs) filling.add(/** @type {Dated} */ (await store.get(id, { meta: true })))
  await keyspace.write([...filling.take(), ...recordsOf(layout, store, filling.totals)])
}

/** Makes records of documents, and counts them. */
class Filling {
  #layout
  /** @type {Operation[]} */
  #operations = []
  #units = 0
  totals = new Totals()

  /** @param {Layout} layout */
  constructor (layout) { this.#layout = layout }

  /** @param {Dated} document */
  add ({ id, rev, body, attachments, meta: { seq, time, user } }) {
    const payload = encodePayload(attachments === null ? '' : JSON.stringify(attachments), body)
    const winner = encodeRevision(rev)
    const record = encodeDocument(false, seq, winner, '', encodeOrigin(time, user), payload)
    this.#count(seq, record, payload)
    this.#operations.push(put(this.#layout.document(id), record), put(this.#layout.sequence(seq), encodeChange(false, [winner], id)))
  }

  /** @param {number} seq @param {string} record @param {string} payload */
  #count (seq, record, payload) {
    const { totals } = this
    totals.live++
    totals.records += Buffer.byteLength(record)
    totals.external += Buffer.byteLength(payload)
    totals.seq = Math.max(totals.seq, seq)
    this.#units += payload.length
    if (totals.live > MOST_DOCUMENTS || this.#units > MOST_UNITS) {
      throw createError('TOO_LARGE', { reason: `There were more than ${MOST_DOCUMENTS} documents, or ${MOST_UNITS / 1024 / 1024} MiB of them: such a moment is read by \`_all_docs\` alone` })
    }
  }

  /** The operations since the last call. */
  take () { return this.#operations.splice(0) }
}

/**
 * Returns what a database says of itself. It has the instance of the original, whose functions it shares.
 *
 * @param {Layout} layout
 * @param {{ instanceId: string, partitioned: boolean }} store
 * @param {Totals} totals
 */
function recordsOf (layout, { instanceId, partitioned }, totals) {
  const database = { version: LAYOUT_VERSION, instanceId, createdAt: 0, revsLimit: 1, ...(partitioned && { partitioned }) }
  return [put(layout.meta('database'), JSON.stringify(database)), put(layout.state, totals.encode())]
}

module.exports = { fillMoment }
