'use strict'

const assert = require('node:assert/strict')
const PouchDB = require('pouchdb-core')
  .plugin(require('pouchdb-adapter-memory'))
  .plugin(require('pouchdb-adapter-http'))
  .plugin(require('pouchdb-replication'))
const { winner } = require('./model')

/** @typedef {import('./world').World} World */
/** @typedef {import('./world').User} User */

let count = 0

/**
 * Sees to it that a copy has what its person sees, and nothing else: documents that were purged stay where they came before.
 *
 * @param {World} world
 * @param {User} person
 * @param {Array<{ id: string, doc: any }>} rows of the copy
 * @param {string} what the copy is
 */
function checkCopy (world, person, rows, what) {
  const wanted = world.model.liveFor(person).map(document => `${document.id} ${winner(document).rev}`)
  const found = rows.filter(({ id }) => !world.purged.has(id)).map(({ id, doc }) => `${id} ${doc._rev}`)
  assert.deepEqual(found.sort(), wanted.sort(), `${person.name} (${person.roles}): ${what}`)
}

/** A PouchDB of one person, as it is: it knows nothing of access by document. */
class Pouch {
  #world
  #person

  /** @param {World} world @param {User} person */
  constructor (world, person) {
    this.#world = world
    this.#person = person
    this.local = new PouchDB(`${person.name}-${count++}`, { adapter: 'memory' })
    this.remote = new PouchDB(`${world.server.url}/${world.databases.whole}`, { adapter: 'http', auth: { username: person.name, password: person.password }, skip_setup: true })
  }

  /** Goes on where it was. */
  async pull () {
    const { status, errors } = await this.local.replicate.from(this.remote)
    assert.deepEqual([status, errors], ['complete', []])
    checkCopy(this.#world, this.#person, (await this.local.allDocs({ include_docs: true })).rows, 'a PouchDB that replicates')
  }

  async close () {
    await this.local.destroy()
    await this.remote.close()
  }
}

/** A database of one person on the server, into which the server replicates for them. */
class Box {
  #world
  #person
  #isMade = false

  /** @param {World} world @param {User} person */
  constructor (world, person) {
    this.#world = world
    this.#person = person
  }

  async pull () {
    const { url } = this.#world.server
    const name = `box-${this.#person.name}`
    if (!this.#isMade) {
      // In a database without access by document, its users' design documents would be in force.
      await this.#world.mustAsk('PUT', `/${name}?access=true`)
      await this.#world.mustAsk('PUT', `/${name}/_security`, { admins: { names: [this.#person.name] }, members: { names: [this.#person.name] } })
      this.#isMade = true
    }
    const side = (/** @type {string} */ database) => ({ url: `${url}/${database}`, auth: { basic: { username: this.#person.name, password: this.#person.password } } })
    const body = { source: side(this.#world.databases.whole), target: this.#world.chance.one([name, side(name)]) }
    const { status, text } = await this.#world.ask(this.#person, { method: 'POST', path: '/_replicate', body })
    assert.equal(status, 200, text)
    const { rows } = await this.#world.mustAsk('GET', `/${name}/_all_docs?include_docs=true`)
    checkCopy(this.#world, this.#person, rows, 'a database that the server replicates into')
  }
}

module.exports = { Box, Pouch }
