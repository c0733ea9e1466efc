'use strict'

const assert = require('node:assert/strict')

/** The server went away in the middle: what was asked has happened, or has not. */
class Lost extends Error {}

/**
 * A client that writes one thing after another. It knows what the server has said yes to, and
 * what it was asked last, when it died; `verify` says which of the two has to be there.
 *
 * @typedef {object} Client
 * @property {() => Promise<void>} step one write; throws Lost
 * @property {() => Promise<void>} verify asserts that all that was acknowledged is there
 */

/** @typedef {(method: string, path: string, body?: any, headers?: Record<string, string>) => Promise<{ status: number, body: any }>} Ask throws Lost */

/** Creates, updates and deletes documents, with attachments and without, one at a time. */
class Documents {
  #ask
  #path
  #word
  #random
  /** id → what was acknowledged: `{ rev, deleted, n, attachment }` @type {Map<string, any>} */
  #known = new Map()
  /** The write under way: which document it would make. @type {{ id: string, next: any } | null} */
  #pending = null
  #turn = 0

  /** @param {Ask} ask @param {string} path of the database @param {string} word what its ids begin with @param {() => number} random */
  constructor (ask, path, word, random) {
    this.#ask = ask
    this.#path = path
    this.#word = word
    this.#random = random
  }

  get count () { return this.#known.size }

  async step () {
    await this.#settle()
    const turn = this.#turn++
    const id = `${this.#word}-${Math.floor(this.#random() * 40)}`
    const known = this.#known.get(id)
    const kind = this.#random()
    if (known !== undefined && !known.deleted && kind < 0.2) return this.#remove(id, known)
    if (known !== undefined && !known.deleted && kind < 0.4) return this.#attach(id, known, turn)
    return this.#write(id, known, turn)
  }

  #write (id, known, turn) {
    const body = { n: turn, text: 'x'.repeat(Math.floor(this.#random() * 2000)), ...(known && { _rev: known.rev }) }
    return this.#send(id, { n: turn, deleted: false, attachment: undefined }, 'PUT', id, body)
  }

  #remove (id, { rev }) {
    return this.#send(id, { deleted: true, n: undefined, attachment: undefined }, 'DELETE', `${id}?rev=${rev}`)
  }

  #attach (id, { rev, n }, turn) {
    const content = `${turn} `.repeat(3000)
    return this.#send(id, { deleted: false, n, attachment: content }, 'PUT', `${id}/a?rev=${rev}`, content, { 'Content-Type': 'text/plain' })
  }

  async #send (id, next, method, path, body, headers) {
    this.#pending = { id, next }
    const answer = await this.#ask(method, `${this.#path}/${path}`, body, headers)
    assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer)}`)
    this.#known.set(id, { ...next, rev: answer.body.rev })
    this.#pending = null
  }

  /** Finds out whether the write that got no answer has happened. */
  async #settle () {
    if (this.#pending === null) return
    const { id, next } = this.#pending
    const before = this.#known.get(id)
    const now = await this.#read(id)
    if (now.rev !== before?.rev) {
      assert.deepEqual({ deleted: now.deleted, n: now.n, attachment: now.attachment }, next, `${id} is neither what it was nor what it was to be`)
      this.#known.set(id, now)
    }
    this.#pending = null
  }

  async #read (id) {
    const { status, body } = await this.#ask('GET', `${this.#path}/${id}?attachments=true`)
    if (status === 404 && body.reason !== 'deleted') return { rev: undefined }
    if (status === 404) {
      const { body: [{ ok }] } = await this.#ask('GET', `${this.#path}/${id}?open_revs=all`)
      return { rev: ok._rev, deleted: true, n: undefined, attachment: undefined }
    }
    const data = body._attachments?.a.data
    return { rev: body._rev, deleted: false, n: body.n, attachment: data && Buffer.from(data, 'base64').toString() }
  }

  async verify () {
    await this.#settle()
    for (const [id, known] of this.#known) assert.deepEqual(await this.#read(id), known, `${id}: what was acknowledged is not what is there`)
  }
}

/** Writes ten documents at a time: all are acknowledged, or all or none are there. */
class Batches {
  #ask
  #path
  #word
  /** @type {string[]} */
  #ids = []
  /** @type {string[]} */
  #pending = []
  #turn = 0

  /** @param {Ask} ask @param {string} path @param {string} word */
  constructor (ask, path, word) {
    this.#ask = ask
    this.#path = path
    this.#word = word
  }

  async step () {
    const turn = this.#turn++
    this.#pending = Array.from({ length: 10 }, (_, n) => `${this.#word}-${turn}-${n}`)
    const { status, body } = await this.#ask('POST', `${this.#path}/_bulk_docs`, { docs: this.#pending.map(_id => ({ _id, turn })) })
    assert.equal(status, 201)
    for (const { ok, id } of body) assert.ok(ok, id)
    this.#ids.push(...this.#pending)
  }

  async verify () {
    const there = await this.#there(this.#ids)
    assert.deepEqual(there, this.#ids, 'acknowledged documents of batches are gone')
    const half = await this.#there(this.#pending)
    assert.ok(half.length === 0 || half.length === 10, `${half.length} of a batch of 10`)
  }

  async #there (ids) {
    const { body: { rows } } = await this.#ask('POST', `${this.#path}/_all_docs`, { keys: ids })
    return rows.filter(row => row.value !== undefined && !row.value?.deleted).map(({ id }) => id)
  }
}

/** Counts upwards in one place: what is there is the last acknowledged number, or the one after it. */
class Counter {
  #write
  #read
  #acknowledged = 0

  /** @param {(n: number) => Promise<void>} write @param {() => Promise<number>} read 0 before the first */
  constructor (write, read) {
    this.#write = write
    this.#read = read
  }

  async step () {
    const now = await this.#checked()
    await this.#write(now + 1)
    this.#acknowledged = now + 1
  }

  async #checked () {
    const now = await this.#read()
    assert.ok(now === this.#acknowledged || now === this.#acknowledged + 1, `${this.#acknowledged} was acknowledged, ${now} is there`)
    this.#acknowledged = now
    return now
  }

  async verify () { await this.#checked() }
}

/** Writes documents and purges them: what was acknowledged as purged is nowhere any more. */
class Purges {
  #ask
  #path
  #word
  #purged = []
  #turn = 0

  /** @param {Ask} ask @param {string} path @param {string} word */
  constructor (ask, path, word) {
    this.#ask = ask
    this.#path = path
    this.#word = word
  }

  async step () {
    const id = `${this.#word}-${this.#turn++}`
    const { body: { rev } } = await this.#ask('PUT', `${this.#path}/${id}`, {})
    const { status, body } = await this.#ask('POST', `${this.#path}/_purge`, { [id]: [rev] })
    assert.ok(status < 300, JSON.stringify(body))
    assert.deepEqual(body.purged, { [id]: [rev] })
    this.#purged.push(id)
  }

  async verify () {
    const { body: { rows } } = await this.#ask('POST', `${this.#path}/_all_docs`, { keys: this.#purged })
    assert.deepEqual(rows.filter(({ error }) => error !== 'not_found'), [], 'what was purged is there again')
  }
}

/** All kinds of clients of a database. @param {Ask} ask @param {string} path @param {() => number} random @returns {Client[]} */
function createClients (ask, path, random) {
  const ok = answer => assert.ok(answer.status < 300, JSON.stringify(answer))
  const local = { rev: undefined }
  const design = name => `${path}/_design/${name}`
  return [
    ...['d0', 'd1', 'd2'].map(word => new Documents(ask, path, word, random)),
    ...['b0', 'b1'].map(word => new Batches(ask, path, word)),
    new Purges(ask, path, 'purged'),
    new Counter(async n => ok(await ask('PUT', `${path}/_local/counter`, { n, ...(local.rev && { _rev: local.rev }) })),
      async () => {
        const { body } = await ask('GET', `${path}/_local/counter`)
        local.rev = body._rev
        return body.n ?? 0
      }),
    new Counter(async n => ok(await ask('PUT', `${path}/_security`, { admins: { roles: ['_admin'] }, members: { names: [`n${n}`] } })),
      async () => Number((await ask('GET', `${path}/_security`)).body.members.names?.[0]?.slice(1) ?? 0)),
    // A view that a design document's new version has at once, over what was written before it.
    new Counter(async n => {
      const { body: { _rev } } = await ask('GET', design('counter'))
      ok(await ask('PUT', design('counter'), { _rev, n, views: { v: { map: `function (doc) { if (doc._id === "d0-1") emit(${n}) }` } } }))
    }, async () => {
      const { body } = await ask('GET', design('counter'))
      if (body.n === undefined) return 0
      const { status, body: { rows } } = await ask('GET', `${design('counter')}/_view/v`)
      assert.equal(status, 200)
      for (const { key } of rows) assert.ok(key >= body.n, 'a view has rows of an older function')
      return body.n
    })
  ]
}

module.exports = { createClients, Lost }
