'use strict'

const path = require('node:path')
const { MESSAGES, ROWS, firstNumber } = require('./world')

/** PostgreSQL by its usual client: prepared statements, ten connections. */
class PostgresStore {
  #pool

  /** @param {string} url */
  static async open (url) {
    const store = new PostgresStore()
    const { Pool } = require('pg')
    store.#pool = new Pool({ connectionString: url, max: 10 })
    await store.#fill()
    return store
  }

  async #fill () {
    await this.#pool.query('CREATE TABLE world (id int PRIMARY KEY, randomnumber int NOT NULL)')
    await this.#pool.query('CREATE TABLE fortune (id int PRIMARY KEY, message text NOT NULL)')
    const ids = Array.from({ length: ROWS }, (_, i) => i + 1)
    await this.#pool.query('INSERT INTO world SELECT * FROM unnest($1::int[], $2::int[])', [ids, ids.map(firstNumber)])
    await this.#pool.query('INSERT INTO fortune SELECT * FROM unnest($1::int[], $2::text[])', [MESSAGES.map((_, i) => i + 1), MESSAGES])
    await this.#pool.query('ANALYZE')
  }

  /** @param {number} id */
  async find (id) {
    const { rows: [{ id: found, randomnumber }] } = await this.#pool.query({ name: 'find', text: 'SELECT id, randomnumber FROM world WHERE id = $1', values: [id] })
    return { id: found, randomNumber: randomnumber }
  }

  /** @param {Array<{ id: number, randomNumber: number }>} worlds */
  async update (worlds) {
    // In one order, so that requests that meet wait and do not deadlock.
    const sorted = [...worlds].sort((a, b) => a.id - b.id)
    await this.#pool.query({
      name: 'update',
      text: 'UPDATE world SET randomnumber = new.number FROM unnest($1::int[], $2::int[]) AS new(id, number) WHERE world.id = new.id',
      values: [sorted.map(({ id }) => id), sorted.map(({ randomNumber }) => randomNumber)]
    })
  }

  async fortunes () { return (await this.#pool.query({ name: 'fortunes', text: 'SELECT id, message FROM fortune' })).rows }

  close () { return this.#pool.end() }
}

/** Documents in a pool of the same process, as objects: `@potoroo/document-objects`. */
class DocumentObjectsStore {
  #pool
  #world
  #fortunes

  /** @param {string} folder */
  static async open (folder) {
    const { openDocuments } = require('@potoroo/document-objects')
    const { Pool } = require('pmemobj')
    const store = new DocumentObjectsStore()
    store.#pool = Pool.open(path.join(folder, 'pool'))
    store.#world = await openDocuments(store.#pool, 'world')
    store.#fortunes = await openDocuments(store.#pool, 'fortunes')
    await store.#world.transaction(() => { for (let id = 1; id <= ROWS; id++) store.#world.set(String(id), { id, randomNumber: firstNumber(id) }) })
    await store.#fortunes.transaction(() => MESSAGES.forEach((message, i) => store.#fortunes.set(String(i + 1), { id: i + 1, message })))
    return store
  }

  /** @param {number} number */
  find (number) {
    const { id, randomNumber } = this.#world.get(String(number))
    return { id, randomNumber }
  }

  /** @param {Array<{ id: number, randomNumber: number }>} worlds */
  update (worlds) {
    return this.#world.transaction(() => { for (const { id, randomNumber } of worlds) this.#world.get(String(id)).randomNumber = randomNumber })
  }

  fortunes () { return Array.from(this.#fortunes.values(), ({ id, message }) => ({ id, message })) }

  async close () {
    await this.#world.close()
    await this.#fortunes.close()
    this.#pool.close()
  }
}

module.exports = { DocumentObjectsStore, PostgresStore }
