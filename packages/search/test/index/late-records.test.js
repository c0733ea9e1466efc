'use strict'

const assert = require('node:assert')
const seedrandom = require('seedrandom')
const { articles } = require('../support/articles')
const { TestIndex } = require('../support/index')

/** Documents of the batch that comes first: enough for records that are not written again for each document. */
const FIRST = 800
const SEED = process.env.SEARCHES_SEED ?? String(Math.random())

const term = word => ({ type: 'term', field: 'body', term: word })
const all = words => ({ type: 'boolean', clauses: words.map(word => ({ occur: 'must', node: term(word) })) })
const phrase = words => ({ type: 'phrase', field: 'body', terms: words.map((term, position) => ({ term, position })), slop: 0 })
const byId = ([a], [b]) => a < b ? -1 : 1

/** An index, and the documents that it has to have. */
class Life {
  documents = new Map()
  texts = articles(FIRST).map(({ text }) => text)
  ids = 0
  bytes = 0
  /** How often there were records of small batches, more and fewer than before. */
  made = 0
  merged = 0
  #late = 0

  /** @param {string} [seed] */
  constructor (seed = SEED) { this.random = seedrandom(seed) }

  below (count) { return Math.floor(this.random() * count) }

  /** Common words, and some that are in few documents. */
  text () {
    const words = this.texts[this.below(this.texts.length)].split(' ').slice(this.below(5))
    for (let i = this.below(6); i > 0; i--) words.splice(this.below(words.length), 0, `rare${this.below(400)}`)
    return words.join(' ')
  }

  anyId () { return [...this.documents.keys()][this.below(this.documents.size)] }

  async open () {
    this.index = await TestIndex.open()
    await this.write(Object.fromEntries(Array.from({ length: FIRST }, () => [this.newId(), { body: this.text() }])))
  }

  newId () { return `d${String(this.ids++).padStart(6, '0')}` }

  async write (changes) {
    this.bytes += (await this.index.write(changes)).bytes
    for (const [id, fields] of Object.entries(changes)) {
      if (fields === null) this.documents.delete(id)
      else this.documents.set(id, fields)
    }
    const late = (await this.lateRecords()).length
    if (late > this.#late) this.made++
    if (late < this.#late) this.merged++
    this.#late = late
  }

  lateRecords () {
    const { space, prefix } = this.index
    return space.keyspace.keys({ gte: `${prefix}a`, lt: `${prefix}b` }).all()
  }

  /** Writes a few documents, most often one. @param {number} removed share of those that go @param {number} changed */
  async step (removed, changed) {
    const changes = {}
    for (let i = this.random() < 0.8 ? 1 : 1 + this.below(20); i > 0; i--) {
      const chance = this.random()
      if (this.documents.size > 0 && chance < removed) changes[this.anyId()] = null
      else changes[this.documents.size > 0 && chance < removed + changed ? this.anyId() : this.newId()] = { body: this.text() }
    }
    await this.write(changes)
  }

  /** Queries of words that are next to each other somewhere. */
  queries () {
    const queries = Array.from({ length: 20 }, (_, i) => term(`rare${i}`))
    for (let i = 0; i < 40; i++) {
      const words = this.documents.get(this.anyId()).body.split(' ')
      const at = this.below(words.length - 3)
      queries.push(term(words[at]), all([words[at], words[this.below(words.length)]]), phrase(words.slice(at, at + 2)), phrase(words.slice(at, at + 3)))
    }
    return queries
  }

  /** An index that is built of the same documents finds the same, with equal scores. */
  async assertAsBuilt () {
    const built = await TestIndex.open()
    await built.write(Object.fromEntries(this.documents))
    for (const query of this.queries()) {
      assert.deepStrictEqual((await this.index.find(query)).sort(byId), (await built.find(query)).sort(byId), JSON.stringify(query))
    }
    await built.close()
  }
}

describe('an index whose documents are written one by one, behind a batch', () => {
  /** @type {Life} */
  let life
  beforeEach(async () => {
    life = new Life()
    await life.open()
  })
  afterEach(function () {
    if (this.currentTest?.state === 'failed') console.log(`with SEARCHES_SEED=${SEED}`)
    return life.index.close()
  })

  it('finds what one that is built at once finds, with the same scores', async () => {
    for (const [steps, removed, changed] of [[60, 0, 0], [60, 0.1, 0.1], [120, 0, 0], [60, 0.2, 0.4], [60, 0.02, 0.02]]) {
      for (let i = 0; i < steps; i++) await life.step(removed, changed)
      await life.assertAsBuilt()
    }
    assert.ok(life.made > 5 && life.merged > 5, `small records came ${life.made} times, and went ${life.merged} times`)
  })

  it('does not write the shared records again for a new document', async () => {
    const { index } = life
    const body = life.texts.reduce((longest, text) => text.length > longest.length ? text : longest)
    const { operations } = await index.write({ last: { body } })
    const [small, shared] = ['a', 'p'].map(letter => operations.filter(({ key }) => key.startsWith(index.prefix + letter)).length)
    assert.ok(small > 2 * shared, `${small} small records and ${shared} shared ones`)
    await index.write({ last: null })
    assert.deepStrictEqual(await life.lateRecords(), [])
  })

  it('keeps nothing of documents that are gone', async () => {
    for (let i = 0; i < 60; i++) await life.step(0.05, 0.05)
    while (life.documents.size > 0) await life.write(Object.fromEntries(Array.from({ length: 50 }, () => [life.anyId(), null])))
    assert.deepStrictEqual(await life.index.entries(), [])
    assert.strictEqual(life.bytes, 0)
  })
})
