'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const seedrandom = require('seedrandom')
const { DocumentStore } = require('@potoroo/document-store')
const { JournalLevel, applyStep, fill } = require('../../../document-store/test/crash/journal-level')
const { Catalogue } = require('../../lib/index/catalogue')
const { AdaptiveIndexes, Mango } = require('../..')
const { assertIntegrity } = require('../integrity')
const { RandomFinds, expected } = require('./random-finds')

const SECONDS = Number(process.env.ADAPTIVE_SECONDS ?? 2)
const SETTINGS = { askThreshold: 1, minDocuments: 1, maxIndexes: 4, catchUp: 5, restAfter: 1000, dropAfter: 3000, delay: 0 }
/** Fields that the application may have an index of. */
const FIELDS = ['a', 'b', 'c']
const HIGH_PROPORTION = /\n?The number of documents examined is high.*/

/** A database that learns, and what happens to it. One that says itself that it does answers all sorts. */
class Life {
  #now = 1e12

  constructor (random, { sorts = true } = {}) {
    this.finds = new RandomFinds(random)
    this.sorts = sorts
    this.used = 0
  }

  async open (level) {
    this.level = level
    this.store = await DocumentStore.open(level)
    this.adaptive = new AdaptiveIndexes({ settings: SETTINGS, now: () => this.#now, onError: error => { if (error.code !== 'CLOSED') throw error } })
    this.mango = new Mango({ adaptive: this.adaptive })
  }

  /** Lets it sort from now on. */
  async enable () { if (this.sorts) await this.adaptive.enable(this.store, true) }

  async step () {
    const { finds } = this
    const asks = this.sorts ? [this.#ask, this.#ask, this.#ask, this.#ask, this.#askAgain, this.#page] : [this.#compare, this.#compare, this.#compare, this.#compare, this.#design]
    const actions = [this.#write, this.#write, this.#remove, ...asks, this.#pass, this.#settle, this.#reopen]
    await actions[finds.below(actions.length)].call(this)
  }

  /** An index of the application comes or goes. */
  async #design () {
    const field = this.finds.oneOf(FIELDS)
    const current = await this.store.get(`_design/${field}`).catch(() => undefined)
    if (current === undefined) await this.mango.create(this.store, { ddoc: field, name: field, index: { fields: [field] } })
    else await this.mango.delete(this.store, field, field)
  }

  /** Compares the answers that a client sees with those of a database that does not learn. */
  async #compare () {
    const body = { ...this.finds.find(), ...this.finds.oneOf([{}, { fields: ['b', '_id'] }]), execution_stats: true }
    if ((await this.mango.explain(this.store, body)).index?.name.startsWith('adaptive/')) this.used++
    const both = await this.#alike()
    for (let page = 0, bookmark = ''; page < 3; page++) {
      const asked = { ...body, bookmark }
      const [found, wanted] = await Promise.all(both.map(mango => seen(() => mango.find(this.store, asked))))
      assert.deepEqual(found, wanted, JSON.stringify(asked))
      if (found.bookmark === undefined) return
      bookmark = found.bookmark
    }
  }

  /**
   * Returns one that learns and one that does not, which see the same rows where they choose among the
   * application's indexes by how many there are: neither has chosen before, and all indexes are up to date.
   */
  async #alike () {
    for (const field of FIELDS) {
      const isThere = await this.store.get(`_design/${field}`).then(() => true, () => false)
      if (isThere) await this.mango.find(this.store, { selector: { [field]: { $gt: null } }, use_index: field, limit: 1 })
    }
    return [new Mango({ adaptive: this.adaptive }), new Mango()]
  }

  async #write () {
    const ids = Array.from({ length: 1 + this.finds.below(8) }, () => `d${this.finds.below(40)}`)
    const docs = await Promise.all([...new Set(ids)].map(async id => ({ ...this.finds.body(), _id: id, _rev: (await this.store.get(id).catch(() => undefined))?.rev })))
    await this.store.write(docs)
  }

  async #remove () {
    const id = `d${this.finds.below(40)}`
    const current = await this.store.get(id).catch(() => undefined)
    if (current === undefined) return
    if (this.finds.below(2) === 0) await this.store.purge({ [id]: [current.rev] })
    else await this.store.put({ _id: id, _rev: current.rev, _deleted: true })
  }

  async #ask () {
    this.last = this.finds.find()
    await this.check(this.last)
  }

  async #askAgain () { if (this.last !== undefined) await this.check(this.last) }

  /** An index may be ready before the next page. */
  async #page () {
    const body = { ...this.finds.find(), limit: 3, skip: 0 }
    const found = []
    for (let bookmark = '', more = true; more;) {
      const answer = await this.mango.find(this.store, { ...body, bookmark })
      found.push(...answer.docs.map(({ _id }) => _id))
      bookmark = answer.bookmark
      more = answer.docs.length === 3
      if (this.finds.below(2) === 0) await this.adaptive.settled(this.store)
    }
    assert.deepEqual(found, await expected(this.store, { ...body, limit: 1000 }), JSON.stringify(body))
  }

  /** Time goes by. */
  async #pass () {
    this.#now += this.finds.below(2000)
    await this.adaptive.review(this.store)
  }

  async #settle () { await this.adaptive.settled(this.store) }

  async #reopen () {
    await this.store.close()
    await this.open(this.level)
  }

  async check (body) {
    if ((await this.mango.explain(this.store, body)).index.name.startsWith('adaptive/')) this.used++
    const { docs } = await this.mango.find(this.store, body)
    assert.deepEqual(docs.map(({ _id }) => _id), await expected(this.store, body), JSON.stringify(body))
  }
}

/** Returns what a client sees of an answer. */
async function seen (find) {
  try {
    const { execution_stats: stats, warning, ...answer } = await find()
    // One examines less than the other, and says so.
    const isHigh = stats !== undefined && stats.total_docs_examined > 10 * Math.max(stats.results_returned, 1)
    assert.equal(HIGH_PROPORTION.test(warning ?? ''), isHigh)
    return { ...answer, returned: stats?.results_returned, members: Object.keys(stats ?? {}), warning: warning?.replace(HIGH_PROPORTION, '') }
  } catch (error) {
    if (error.error !== 'no_usable_index' && error.error !== 'invalid_bookmark') throw error
    return { error: error.error, reason: error.reason }
  }
}

/** Runs until the time is over and there was enough of it; says with what seed it failed. */
async function repeat (run, isEnough) {
  const seed = process.env.ADAPTIVE_SEED ?? String(Math.random())
  const random = seedrandom(seed)
  const end = Date.now() + SECONDS * 1000
  try {
    while (Date.now() < end || !isEnough()) await run(random)
  } catch (error) {
    throw new Error(`With ADAPTIVE_SEED=${seed}: ${error.message}`, { cause: error })
  }
}

describe('a database that learns', function () {
  this.timeout((SECONDS + 600) * 1000)

  it('answers as if it scanned, whatever it has learned', async () => {
    let learned = 0
    let used = 0
    await repeat(async random => {
      const life = new Life(random)
      await life.open(new MemoryLevel())
      await life.enable()
      for (let i = 0; i < 100; i++) await life.step()
      await life.adaptive.settled(life.store)
      learned += (await life.adaptive.describe(life.store)).indexes.length
      used += life.used
      await assertIntegrity(life.store)
      await life.store.close()
    }, () => learned > 10 && used > 100)
  })

  it('shows clients what they would see if it did not learn', async () => {
    let learned = 0
    let used = 0
    await repeat(async random => {
      const life = new Life(random, { sorts: false })
      await life.open(new MemoryLevel())
      for (let i = 0; i < 100; i++) await life.step()
      await life.adaptive.settled(life.store)
      learned += (await life.adaptive.describe(life.store)).indexes.length
      used += life.used
      await life.store.close()
    }, () => learned > 10 && used > 100)
  })

  it('answers as if it scanned after a crash at any point', async () => {
    let learned = 0
    await repeat(async random => {
      const journal = []
      const life = new Life(random)
      await life.open(new JournalLevel(step => journal.push(step)))
      await life.enable()
      for (let i = 0; i < 40; i++) await life.step()
      await life.store.close()
      const contents = new Map()
      for (const step of journal) {
        applyStep(contents, step)
        if (random() < 0.1) learned += await recover(contents, random)
      }
    }, () => learned > 10)
  })
})

/** Opens what a crash left, in a copy. */
async function recover (contents, random) {
  const life = new Life(random)
  await life.open(await fill(new MemoryLevel(), contents))
  await Catalogue.of(life.store) // it clears what the crash left
  await assertIntegrity(life.store)
  await life.enable()
  const { indexes } = await life.adaptive.describe(life.store)
  for (let i = 0; i < 5; i++) await life.check(life.finds.find())
  await life.adaptive.settled(life.store)
  await assertIntegrity(life.store)
  await life.store.close()
  return indexes.length
}
