'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('@potoroo/document-store')
const { Mango, liveFigures } = require('../..')
const arbitraries = require('../mango/arbitraries')
const { plainMatch } = require('../mango/plain-selector')
const { Replay } = require('./replay')

const numRuns = Number(process.env.TEST_RANDOM_RUNS ?? 60)

describe('random live queries', function () {
  this.timeout(600_000 + numRuns * 1000)

  const id = fc.constantFrom('k0', 'K1', 'é2', 'a3', 'b4', 'c5')
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('write'), docs: fc.array(fc.tuple(id, arbitraries.doc), { minLength: 1, maxLength: 4 }) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete'), id }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('conflict'), id, doc: arbitraries.doc, digest: fc.constantFrom('00', 'ff'), deleted: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('purge'), id, all: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('begin'), query: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('resume'), query: fc.nat(), known: fc.boolean(), docs: fc.array(fc.tuple(id, arbitraries.doc), { maxLength: 3 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart') }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('pause'), query: fc.nat() }) },
    { weight: 2, arbitrary: fc.constant({ kind: 'compare' }) }
  )

  class Life {
    level = new MemoryLevel()
    mango = new Mango()
    replays = []

    async open () { this.store = await DocumentStore.open(this.level, { prefix: 'db/' }) }

    async begin (selector) {
      const replay = new Replay(this.mango, this.store, selector, { mostWaiting: 3 })
      await replay.begin()
      this.replays.push(replay)
    }

    async winners () {
      const { rows } = await this.store.allDocs({ includeDocs: true })
      const docs = []
      for await (const page of rows) for (const { id: name, document } of page) if (!name.startsWith('_design/')) docs.push({ _id: name, _rev: document.rev, ...JSON.parse(document.body) })
      return docs
    }

    async compare () {
      const docs = await this.winners()
      for (const replay of this.replays) {
        replay.goOn()
        await replay.shows(docs.filter(doc => plainMatch(replay.selector, doc)))
      }
    }

    async write (pairs) {
      const docs = []
      for (const [name, doc] of new Map(pairs)) {
        const found = await this.store.get(name).catch(() => null)
        docs.push({ _id: name, ...(found && { _rev: found.rev }), ...doc })
      }
      await this.store.write(docs)
    }

    async delete ({ id: name }) {
      const found = await this.store.get(name).catch(() => null)
      if (found !== null) await this.store.write([{ _id: name, _rev: found.rev, _deleted: true }])
    }

    async conflict ({ id: name, doc, digest, deleted }) {
      const found = await this.store.get(name).catch(() => null)
      const generation = found === null ? 1 : Number.parseInt(found.rev)
      await this.store.write([{ _id: name, _rev: `${generation}-${digest.repeat(16)}`, ...(deleted && { _deleted: true }), ...doc }], { newEdits: false })
    }

    async purge ({ id: name, all }) {
      const leaves = await this.store.openRevs(name, 'all').catch(() => [])
      const revs = leaves.flatMap(leaf => 'ok' in leaf ? [leaf.ok.rev] : [])
      await this.store.purge({ [name]: all ? revs : revs.slice(0, 1) })
    }

    async resume ({ query, known, docs }) {
      const replay = this.replays[query % this.replays.length]
      await replay.end()
      await this.write(docs)
      const resumed = replay.begin({ known })
      await this.write(docs.map(([name, doc]) => [name, { ...doc, c: 3 }]))
      await resumed
    }

    async restart () {
      await this.store.close()
      for (const replay of this.replays) replay.goOn()
      await Promise.all(this.replays.map(replay => replay.running))
      await this.open()
      for (const replay of this.replays) {
        replay.database = this.store
        await replay.begin()
      }
    }
  }

  it('tell what a plain filter finds, at each moment', async () => {
    const indexes = fc.array(arbitraries.index.filter(({ partial }) => partial === undefined), { maxLength: 2 })
    await fc.assert(fc.asyncProperty(fc.array(fc.tuple(id, arbitraries.doc), { maxLength: 5 }), indexes, fc.array(arbitraries.selector, { minLength: 2, maxLength: 5 }), fc.array(step, { minLength: 3, maxLength: 20 }), async (docs, definitions, selectors, steps) => {
      const life = new Life()
      await life.open()
      await life.write(docs)
      for (const [i, { fields }] of definitions.entries()) await life.mango.create(life.store, { index: { fields }, ddoc: `d${i}`, name: `n${i}` })
      for (const selector of selectors) await life.begin(selector)
      for (const each of steps) {
        if (each.kind === 'begin') await life.begin(selectors[each.query % selectors.length])
        else if (each.kind === 'pause') life.replays[each.query % life.replays.length].pause()
        else await life[each.kind](each.kind === 'write' ? each.docs : each)
      }
      await life.compare()
      for (const replay of life.replays) await replay.end()
      assert.deepEqual(liveFigures(life.store), { queries: 0, shapes: 0 })
      await life.store.close()
    }), { numRuns })
  })
})
