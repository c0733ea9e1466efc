'use strict'

const { isUtf8 } = require('node:buffer')
const { pagesOf } = require('../check/pages')

/**
 * @import { Bounds } from '../check/readable-pages'
 * @import { Layout } from '../media/layout'
 * @import { Mending } from './mending'
 * @import { Loss } from '../..'
 */

const BYTES = Object.freeze({ keyEncoding: 'buffer', valueEncoding: 'buffer' })
const STEP = 1000

/**
 * Removes what cannot be read as text where all is text: keys, and the values of all stores but chunks.
 *
 * @param {Mending} mending
 * @returns {AsyncGenerator<Loss>}
 */
async function * sweep (mending) {
  const { keyspace, layout } = mending
  const texts = [
    layout.attachments, layout.documents, layout.locals, layout.metas, layout.partitions, layout.purges, layout.revisions, layout.sequences, layout.versions
  ]
  /** @type {Buffer[]} */
  const bad = []
  for await (const page of pagesOf(keyspace.level.keys({ ...bytesOf(layout.all()), ...BYTES }))) bad.push(...page.filter(key => !isUtf8(key)))
  for (const store of texts) {
    for await (const page of pagesOf(keyspace.level.iterator({ ...bytesOf(layout.range(store)), ...BYTES }))) {
      for (const [key, value] of page) if (!isUtf8(value) && isUtf8(key)) bad.push(key)
    }
  }
  if (bad.length > 0) mending.changed = true
  for (let at = 0; at < bad.length; at += STEP) {
    await keyspace.level.batch(bad.slice(at, at + STEP).map(key => ({ type: 'del', key })), BYTES)
  }
  for (const key of bad) yield * lossOf(layout, key)
}

/**
 * Gives what is lost with it, if that is not found by itself.
 *
 * @param {Layout} layout
 * @param {Buffer} key
 * @returns {Generator<Loss>}
 */
function * lossOf (layout, key) {
  if (!isUtf8(key)) return yield { kind: 'key', key: key.toString('latin1') }
  const text = key.toString()
  if (text.startsWith(layout.documents)) yield { kind: 'document', id: layout.idOf(text) }
  else if (text.startsWith(layout.locals)) yield { kind: 'local', id: layout.idOf(text) }
  else if (text.startsWith(layout.metas + 'user:')) yield { kind: 'value', name: text.slice(layout.metas.length + 'user:'.length) }
}

/** @param {Bounds} range */
function bytesOf (range) {
  return Object.fromEntries(Object.entries(range).map(([name, text]) => [name, Buffer.from(text)]))
}

module.exports = { bytesOf, sweep }
