'use strict'

const { damageInWords, isDamage } = require('../storage/damage-report')
const { FRAME, KIND, MAGIC, frame } = require('./format')

/** Entries that are read, and held, at a time: values may be long. */
const PAGE = 100

/**
 * Everything of a level at one moment, that of the call's first step, while it is written to. If something is
 * damaged it ends with what that is: what was written so far is no backup then.
 *
 * @param {any} level an open abstract-level with implicit snapshots
 * @param {{ version: string, config?: string }} about `config` is the text of the ini file
 * @returns {AsyncGenerator<Buffer, void>} see format.js
 */
async function * writeBackup (level, { version, config }) {
  // It sees what is there now.
  const iterator = level.iterator({ keyEncoding: 'buffer', valueEncoding: 'buffer' })
  try {
    yield MAGIC
    yield frame(KIND.header, [json({ created: new Date().toISOString(), version })])
    if (config !== undefined) yield frame(KIND.config, [Buffer.from(config)])
    let entries = 0
    for (;;) {
      const page = await iterator.nextv(PAGE)
      if (page.length === 0) break
      entries += page.length
      yield * framesOf(page)
    }
    yield frame(KIND.end, [json({ entries })])
  } catch (error) {
    if (!isDamage(error)) throw error
    yield frame(KIND.failed, [json({ reason: await damageInWords(level) })])
  } finally {
    await iterator.close()
  }
}

/** @param {Array<[Buffer, Buffer]>} page */
function * framesOf (page) {
  /** @type {Buffer[]} */
  let parts = []
  let bytes = 0
  for (const [key, value] of page) {
    const lengths = Buffer.allocUnsafe(8)
    lengths.writeUInt32LE(key.length, 0)
    lengths.writeUInt32LE(value.length, 4)
    parts.push(lengths, key, value)
    bytes += 8 + key.length + value.length
    if (bytes < FRAME) continue
    yield frame(KIND.entries, parts)
    parts = []
    bytes = 0
  }
  if (bytes > 0) yield frame(KIND.entries, parts)
}

/** @param {unknown} value */
function json (value) { return Buffer.from(JSON.stringify(value)) }

module.exports = { writeBackup }
