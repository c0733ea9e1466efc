'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const seedrandom = require('seedrandom')
const { DocumentStore } = require('@potoroo/document-store')
const { EmbeddedViews } = require('..')
const { JournalLevel, applyStep, fill } = require('../../document-store/test/crash/journal-level')
const { assertIntegrity, expectedRows } = require('./integrity')

const SECONDS = Number(process.env.CRASH_SECONDS ?? 2)
const STEPS = 40

const maps = {
  'd/n': (doc, emit) => { emit(doc.n, doc._conflicts) },
  'd/list': (doc, emit) => { for (const each of doc.list ?? []) emit(each, doc.n) }
}
const views = {
  n: { map: 'function (doc) { emit(doc.n, doc._conflicts) }' },
  list: { map: 'function (doc) { (doc.list || []).forEach(function (each) { emit(each, doc.n) }) }', reduce: '_sum' },
  passing: { map: 'function (doc) { emit(doc._id) }' }
}

/** One thing that an application may do. */
class Life {
  constructor (store, random) {
    this.store = store
    this.views = new EmbeddedViews(store)
    this.random = random
  }

  #below (count) { return Math.floor(this.random() * count) }
  /** Some have enough rows to be summed up. */
  #body () {
    const length = this.#below(4) === 0 ? 300 : this.#below(4)
    return { n: this.#below(5), list: Array.from({ length }, (_, i) => this.#below(3) * 1000 + i) }
  }

  async step () {
    const actions = [this.#put, this.#put, this.#put, this.#conflict, this.#remove, this.#query, this.#query, this.#reduce, this.#reduce, this.#purge, this.#cleanUp]
    await actions[this.#below(actions.length)].call(this, `doc-${this.#below(6)}`)
  }

  async #current (id) { return this.store.get(id).catch(() => undefined) }

  async #put (id) { await this.store.put({ ...this.#body(), _id: id, _rev: (await this.#current(id))?.rev }) }

  async #conflict (id) {
    await this.store.write([{ ...this.#body(), _id: id, _rev: `${1 + this.#below(3)}-${String(this.#below(1e9)).padStart(32, 'c')}` }], { newEdits: false })
  }

  async #remove (id) {
    const current = await this.#current(id)
    if (current !== undefined) await this.store.put({ _id: id, _rev: current.rev, _deleted: true })
  }

  async #purge (id) {
    const current = await this.#current(id)
    if (current !== undefined) await this.store.purge({ [id]: [current.rev] })
  }

  async #query () { await this.views.query(this.random() < 0.5 ? 'd/n' : 'd/list', { reduce: false, limit: 1 }, {}) }

  async #reduce () {
    await this.views.query('d/list', { startkey: this.#below(500), endkey: 2300 - this.#below(500) }, {})
  }

  /** A view comes, is used, and goes. */
  async #cleanUp () {
    const { rev } = await this.store.get('_design/d')
    const { rev: next } = await this.store.put({ _id: '_design/d', _rev: rev, views })
    await this.views.query('d/passing', {}, {})
    const { passing, ...others } = views
    await this.store.put({ _id: '_design/d', _rev: next, views: others })
    await this.views.cleanup()
  }
}

async function live (contents, random) {
  const journal = []
  const level = await fill(new JournalLevel(step => journal.push(step)), contents)
  journal.length = 0
  const store = await DocumentStore.open(level)
  await store.setPurgedInfosLimit(2)
  const { rev } = await store.get('_design/d').catch(() => ({}))
  await store.put({ _id: '_design/d', _rev: rev, views })
  const life = new Life(store, random)
  for (let i = 0; i < STEPS; i++) await life.step()
  await store.close()
  return journal
}

/** Opens what a crash left, in a copy: it agrees before it is brought up to date, and is right after. */
async function recover (contents) {
  const store = await DocumentStore.open(await fill(new MemoryLevel(), contents))
  const views = new EmbeddedViews(store)
  const hasViews = await store.get('_design/d').catch(() => undefined)
  if (hasViews !== undefined) {
    await views.query('d/n', { stale: 'ok' }, {})
    await assertIntegrity(store)
    for (const [name, map] of Object.entries(maps)) {
      const { rows, total_rows: total } = await views.query(name, { reduce: false }, {})
      assert.deepEqual(rows, await expectedRows(store, map))
      assert.equal(total, rows.length)
    }
    await assertSum(store, views, { startkey: 50, endkey: 2050 })
    await assertIntegrity(store)
  }
  await store.close()
}

async function assertSum (store, views, { startkey, endkey }) {
  const expected = (await expectedRows(store, maps['d/list'])).filter(({ key }) => key >= startkey && key <= endkey)
  const { rows } = await views.query('d/list', { startkey, endkey }, {})
  assert.deepEqual(rows, expected.length === 0 ? [] : [{ key: null, value: expected.reduce((sum, { value }) => sum + value, 0) }])
}

describe('a crash at any point', function () {
  this.timeout((SECONDS + 600) * 1000)

  it('leaves indexes that agree with themselves and go on to be right', async () => {
    const seed = process.env.CRASH_SEED ?? String(Math.random())
    const random = seedrandom(seed)
    const end = Date.now() + SECONDS * 1000
    const contents = new Map()
    let points = 0
    try {
      while (Date.now() < end || points <= 50) {
        for (const step of await live(contents, random)) {
          applyStep(contents, step)
          await recover(contents)
          points++
        }
      }
    } catch (error) {
      error.message += ` (after ${points} points, with CRASH_SEED=${seed})`
      throw error
    }
  })
})
