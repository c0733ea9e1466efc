'use strict'

const assert = require('node:assert/strict')
const { fork } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')

/**
 * Kills a process while it writes, and looks for everything that it was told is written.
 *
 * @param {string} adapterPackage its folder
 * @param {string} name of the database
 * @param {() => any} open opens the database afterwards
 */
async function survivesKill (adapterPackage, name, open) {
  const writer = fork(path.join(__dirname, 'writes-until-killed.js'), [adapterPackage, name])
  const acknowledged = []
  writer.on('message', (id) => {
    acknowledged.push(id)
    if (acknowledged.length === 50) writer.kill('SIGKILL')
  })
  await once(writer, 'close')
  const db = open()
  const { rows } = await db.allDocs({ include_docs: true })
  assert.deepEqual(rows.slice(0, acknowledged.length).map(({ id }) => id), acknowledged)
  assert.deepEqual(rows.map(({ doc }) => doc.n), rows.map((row, n) => n))
  assert.equal((await db.info()).doc_count, rows.length)
  await db.put({ _id: 'after' })
  await db.destroy()
}

module.exports = { survivesKill }
