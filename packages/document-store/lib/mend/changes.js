'use strict'

const { decodeChange } = require('../media/record')
const { changeOf, readDocument } = require('./document')

/**
 * @import { Mending } from './mending'
 *
 * @typedef {Map<string, { seq: number, deleted: boolean, leaves: string[] }>} Lost the last changes of documents whose
 *   record is lost, by id
 */

/**
 * Removes changes that say something else than the documents.
 *
 * @param {Mending} mending
 * @returns {Promise<Lost>}
 */
async function mendChanges (mending) {
  const { layout } = mending
  /** @type {Lost} */
  const lost = new Map()
  for await (const page of mending.entries(layout.range(layout.sequences))) {
    for (const [key, text] of page) await mendChange(mending, lost, key, text)
  }
  await mending.flush()
  return lost
}

/** @param {Mending} mending @param {Lost} lost @param {string} key @param {string} text */
async function mendChange (mending, lost, key, text) {
  const { layout } = mending
  const seq = layout.sequenceOf(key)
  const change = readChange(text)
  if (change === null || !Number.isSafeInteger(seq) || layout.sequence(seq) !== key) return mending.remove(key)
  mending.lastSeq = Math.max(mending.lastSeq, seq)
  const stored = await mending.get(layout.document(change.id))
  const document = stored === undefined ? null : readDocument(stored)
  if (document === null) {
    const known = lost.get(change.id)
    if (known === undefined || !(known.seq > seq)) lost.set(change.id, { seq, ...change })
    return mending.remove(key)
  }
  if (document.record.seq !== seq) return mending.remove(key)
  const right = changeOf(change.id, document.tree)
  if (right !== text) await mending.put(key, right)
}

/** @param {string} text */
function readChange (text) {
  try {
    const { id, deleted, leaves } = decodeChange(text)
    return /^[01][1-9]/.test(text) && text.includes(' ') && leaves.every(rev => /^\d+-/.test(rev)) ? { id, deleted, leaves } : null
  } catch {
    return null
  }
}

module.exports = { mendChanges }
