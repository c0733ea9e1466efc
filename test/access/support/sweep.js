'use strict'

const assert = require('node:assert/strict')
const { winner } = require('./model')
const { path } = require('./questions/picks')
const { isSame } = require('./rules')

/** @typedef {import('./world').World} World */
/** @typedef {import('./world').User} User */

const ordered = (/** @type {string[]} */ list) => [...list].sort()

/** Asks a person's database for what the model says they see, by each way that shows all of it. */
class Sweep {
  #world
  #person

  /** @param {World} world @param {User} person */
  constructor (world, person) {
    this.#world = world
    this.#person = person
  }

  async run () {
    await this.#allDocs()
    await this.#info()
    await this.#changes()
    await this.#find()
    await this.#view()
    await this.#locals()
    for (const document of this.#world.chance.some(this.#world.model.documents).slice(0, 5)) await this.#single(document)
  }

  /** @param {string} method @param {string} path @param {any} [body] */
  async #ask (method, path, body) {
    const request = { method, path, body }
    const answer = await this.#world.ask(this.#person, { ...request, path: `/${this.#world.databases.whole}${path}` })
    this.#world.check(answer, this.#person, request)
    return { status: answer.status, text: answer.text, body: answer.text.startsWith('{') ? JSON.parse(Buffer.from(answer.text, 'latin1').toString()) : undefined }
  }

  get #live () { return this.#world.model.liveFor(this.#person).map(({ id }) => id) }

  /** @param {string[]} ids @param {string[]} wanted @param {string} what */
  #same (ids, wanted, what) { assert.deepEqual(ordered(ids), ordered(wanted), `${this.#person.name} (${this.#person.roles}): ${what}`) }

  async #allDocs () {
    const { body } = await this.#ask('GET', '/_all_docs?include_docs=true')
    this.#same(body.rows.map((/** @type {any} */ { id }) => id), this.#live, '_all_docs')
    assert.deepEqual([body.total_rows, body.offset], [body.rows.length, 0], 'total_rows and offset')
  }

  async #info () {
    const { body } = await this.#ask('GET', '')
    const seen = this.#world.model.seenBy(this.#person)
    assert.deepEqual([body.doc_count, body.doc_del_count], [this.#live.length, seen.length - this.#live.length], `${this.#person.name}: counts of documents`)
  }

  async #changes () {
    const { body } = await this.#ask('GET', '/_changes?style=all_docs')
    const [lost, kept] = [true, false].map(isLost => body.results.filter((/** @type {any} */ { _access: access }) => (access === false) === isLost))
    this.#same(kept.map((/** @type {any} */ { id }) => id), this.#world.model.seenBy(this.#person).map(({ id }) => id), '_changes')
    for (const { id, deleted } of lost) {
      assert.equal(deleted, true)
      assert.ok(!this.#live.includes(id), `${id} is said to be lost`)
    }
    for (const { id, changes, deleted = false } of kept) {
      const document = /** @type {any} */ (this.#world.model.find(id))
      assert.deepEqual(ordered(changes.map((/** @type {any} */ { rev }) => rev)), ordered(this.#world.model.leavesFor(this.#person, document).map(({ rev }) => rev)), `leaves of ${id}`)
      assert.equal(deleted, winner(document).deleted)
    }
  }

  async #find () {
    const { body } = await this.#ask('POST', '/_find', { selector: {}, limit: 10_000 })
    const wanted = this.#live.filter(id => !id.startsWith('_'))
    this.#same(body.docs.map((/** @type {any} */ { _id: id }) => id), wanted, '_find')
    const { text } = await this.#ask('POST', '/_query', { q: '[=_id]' })
    this.#same(JSON.parse(Buffer.from(text, 'latin1').toString()), wanted, '_query')
  }

  async #view () {
    const { body } = await this.#ask('GET', '/_design/own/_view/ids')
    const wanted = this.#live.filter(id => !id.startsWith('_'))
    this.#same(body.rows.map((/** @type {any} */ { id }) => id), wanted, 'a view')
    const { body: reduced } = await this.#ask('GET', '/_design/own/_view/count')
    assert.equal(reduced.rows[0]?.value ?? 0, wanted.length, 'a reduced view')
  }

  async #locals () {
    for (const id of ['_local/shared', '_local/own']) {
      const { status, body } = await this.#ask('GET', `/${id}`)
      const own = this.#person.locals.get(id)
      assert.deepEqual([status, body.text], own === undefined ? [404, undefined] : [200, own.text], id)
    }
  }

  /** @param {any} document */
  async #single (document) {
    const { model } = this.#world
    const { status, body, text } = await this.#ask('GET', `/${path(document.id)}?conflicts=true`)
    if (!model.seenBy(this.#person).includes(document)) return assert.ok([403, 404].includes(status), `${this.#person.name} ${document.id}: ${status} ${text}`)
    const { rev, deleted, body: { ...members }, attachments } = winner(document)
    if (deleted) return assert.equal(status, 404)
    assert.equal(status, 200, `${this.#person.name} ${document.id}: ${status} ${text}`)
    const { _id, _rev, _attachments = {}, _conflicts, _access, ...rest } = body
    const { _access: access, ...own } = members
    assert.deepEqual([_rev, rest], [rev, own])
    assert.ok(isSame(_access, access), `${JSON.stringify(_access)} is not ${JSON.stringify(access)}`)
    assert.deepEqual(Object.keys(_attachments).sort(), Object.keys(attachments).sort())
    for (const [name, content] of Object.entries(attachments)) assert.equal((await this.#ask('GET', `/${path(document.id)}/${path(name)}`)).text, content)
  }
}

module.exports = { Sweep }
