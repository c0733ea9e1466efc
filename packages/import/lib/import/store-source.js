'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { pipeline } = require('node:stream/promises')
const { ExportSource } = require('../json-lines/source')
const { writeLines } = require('../json-lines/write')

/**
 * A document store as a source, by way of a temporary export. It must not be written to while it
 * is opened; afterwards it is no longer needed.
 *
 * @param {import('@potoroo/document-store').DocumentStore} store
 * @param {{ name: string, label: string }} names
 * @returns {Promise<ExportSource>}
 */
async function openStoreSource (store, { name, label }) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-import-'))
  const remove = async () => fs.rmSync(folder, { recursive: true, force: true })
  try {
    const file = path.join(folder, 'export.jsonl')
    await pipeline(linesOf(store), fs.createWriteStream(file, { mode: 0o600 }))
    return Object.assign(await ExportSource.open(file), { name, label, close: remove })
  } catch (error) {
    await remove()
    throw error
  }
}

/** @param {import('@potoroo/document-store').DocumentStore} store */
async function * linesOf (store) {
  for await (const { line } of writeLines(store)) yield line
}

module.exports = { openStoreSource }
