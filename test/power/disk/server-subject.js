'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { checkDatabases } = require('@potoroo/document-store')
const { ServerProcess } = require('../../support/server-process')
const { Outcomes } = require('./outcomes')
const { ask, clientsOf, fixed, hashOf } = require('./server-load')

const potoroo = path.resolve(__dirname, '../../../server')

/** A server whose data folder, backups and restored folders lie on the disk, under a mixed load. */
class ServerSubject {
  #disk
  #folder
  #storage

  /** @param {'pmem' | 'classic-level'} storage @param {string} disk where it is mounted */
  constructor (storage, disk) {
    this.#storage = storage
    this.#disk = disk
    this.#folder = path.join(disk, 'data')
  }

  /** @param {(event: object) => void} tell @param {() => number} random @param {() => boolean} enough */
  async load (tell, random, enough) {
    const server = await ServerProcess.start(['--port', '0', '--data', this.#folder, '--storage', this.#storage, '--admin-party'])
    try {
      const load = { url: await server.started, tell, random, folder: this.#disk }
      await fixed(load)
      tell({ opened: true })
      await Promise.all(clientsOf(load).map(async step => { while (!enough()) await step() }))
    } finally {
      await server.end('SIGKILL')
    }
  }

  /** @param {string} events file @param {number} position */
  async verify (events, position) {
    const outcomes = new Outcomes(events)
    if (outcomes.has('opened', position)) await checkFolder(this.#folder)
    const states = new Map()
    for (const name of fs.readdirSync(this.#disk)) await this.#look(name, states)
    await this.#serve(states)
    return { steps: outcomes.verify(subject => states.get(subject) ?? null, position) }
  }

  /** At backups and restored folders; drafts of them count for nothing. */
  async #look (name, states) {
    const file = path.join(this.#disk, name)
    if (/^backup-\d+$/.test(name)) {
      await wholeBackup(file)
      states.set(`backup ${name}`, 'whole')
    } else if (/^restored-\d+$/.test(name)) {
      await checkFolder(file)
      states.set(`restored ${name}`, 'whole')
    }
  }

  /** Asks a server in this process for all that there is. */
  async #serve (states) {
    const { serve } = require(potoroo)
    const server = await serve({ path: this.#folder, port: 0, storage: this.#storage, adminParty: true, log: () => {} })
    const load = /** @type {any} */ ({ url: server.url })
    try {
      for (const database of await ask(load, 'GET', '/_all_dbs')) {
        if (database.startsWith('_')) continue
        states.set(`database ${database}`, true)
        const { rows } = await ask(load, 'GET', `/${database}/_all_docs?include_docs=true&attachments=true`)
        for (const { id, doc } of rows) states.set(`${database}/${id}`, { n: doc.n, hash: doc._attachments === undefined ? null : hashOf(Buffer.from(doc._attachments.a.data, 'base64')) })
      }
      if (states.has('database load')) await ask(load, 'POST', '/load', { later: true })
    } finally {
      await server.close()
    }
  }
}

async function wholeBackup (file) {
  const { readBackup } = require(path.join(potoroo, 'lib/backup/read'))
  let entries = 0
  for await (const part of readBackup(fs.createReadStream(file))) entries += part.entries?.length ?? 0
  assert.ok(entries > 0, `${file} is empty`)
}

/** As `potoroo check` does. */
async function checkFolder (folder) {
  const { open } = require('@potoroo/storage')
  const { level } = await open({ path: folder })
  try {
    const problems = []
    for await (const problem of checkDatabases(level, { prefix: 'databases/' })) problems.push(problem)
    assert.deepEqual(problems, [], `${path.basename(folder)}: check finds problems`)
  } finally {
    await level.close()
  }
}

module.exports = { ServerSubject }
