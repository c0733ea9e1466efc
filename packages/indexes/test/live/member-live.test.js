'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const { MemoryLevel } = require('memory-level')
const { DocumentStore, toObject } = require('@potoroo/document-store')
const { Mango, liveFigures } = require('../..')
const { Replay } = require('./replay')

const numRuns = Number(process.env.TEST_RANDOM_RUNS ?? 60)

/** Members, and what makes a document theirs. */
const MEMBERS = {
  alice: { user: { name: 'alice', roles: ['staff', 'cooks'] }, principals: ['alice', 'role:staff', 'role:cooks'] },
  bob: { user: { name: 'bob', roles: ['staff'] }, principals: ['bob', 'role:staff'] }
}

describe('random live queries of members', function () {
  this.timeout(600_000 + numRuns * 1000)

  const id = fc.constantFrom('a', 'b', 'c', 'd')
  const access = fc.subarray(['alice', 'bob', 'role:staff', 'role:cooks', 'role:nobody'], { maxLength: 2 })
  const doc = fc.record({ n: fc.nat({ max: 3 }), _access: access })
  const who = fc.constantFrom(...Object.keys(MEMBERS))
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('write'), docs: fc.array(fc.tuple(id, doc), { minLength: 1, maxLength: 3 }) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete'), id }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('conflict'), id, doc, digest: fc.constantFrom('00', 'ff') }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('purge'), id, all: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('resume'), who, known: fc.boolean(), docs: fc.array(fc.tuple(id, doc), { maxLength: 2 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('pause'), who }) },
    { weight: 2, arbitrary: fc.constant({ kind: 'compare' }) }
  )

  class Life {
    mango = new Mango()
    /** @type {Array<{ name: string, replay: Replay }>} */
    replays = []

    async open (selectors) {
      this.store = await DocumentStore.open(new MemoryLevel(), { access: true })
      for (const [name, { user }] of Object.entries(MEMBERS)) {
        const reader = this.store.forMember(user)
        for (const selector of selectors) {
          const replay = new Replay(this.mango, this.store, selector, { reader, mostWaiting: 3 })
          await replay.begin()
          this.replays.push({ name, replay })
        }
      }
    }

    async compare () {
      const { rows } = await this.store.allDocs({ includeDocs: true })
      const docs = []
      for await (const page of rows) docs.push(...page.map(({ document }) => toObject(document)))
      for (const { name, replay } of this.replays) {
        replay.goOn()
        const { principals } = MEMBERS[name]
        await replay.shows(docs.filter(({ n, _access = [] }) => n > (replay.selector.n?.$gt ?? -1) && _access.some(each => principals.includes(each))))
      }
    }

    async revOf (name) { return (await this.store.get(name).catch(() => null))?.rev }

    async write ({ docs }) {
      const written = []
      for (const [name, body] of new Map(docs)) written.push({ _id: name, _rev: await this.revOf(name), ...body })
      for (const result of await this.store.write(written)) if (result instanceof Error) throw result
    }

    async delete ({ id: name }) {
      const rev = await this.revOf(name)
      if (rev !== undefined) await this.store.write([{ _id: name, _rev: rev, _deleted: true }])
    }

    async conflict ({ id: name, doc: body, digest }) {
      const rev = await this.revOf(name) ?? '1-'
      await this.store.write([{ _id: name, _rev: `${Number.parseInt(rev)}-${digest.repeat(16)}`, ...body }], { newEdits: false })
    }

    async purge ({ id: name, all }) {
      const leaves = await this.store.openRevs(name, 'all').catch(() => [])
      const revs = leaves.flatMap(leaf => 'ok' in leaf ? [leaf.ok.rev] : [])
      await this.store.purge({ [name]: all ? revs : revs.slice(0, 1) })
    }

    async resume ({ who: name, known, docs }) {
      const { replay } = this.replays.find(each => each.name === name)
      await replay.end()
      await this.write({ docs })
      const resumed = replay.begin({ known })
      await this.write({ docs: docs.map(([each, body]) => [each, { ...body, n: 2 }]) })
      await resumed
    }

    async pause ({ who: name }) { this.replays.find(each => each.name === name).replay.pause() }
  }

  it('tell what a member may see, at each moment', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 20 }), async steps => {
      const life = new Life()
      await life.open([{}, { n: { $gt: 1 } }])
      for (const each of steps) await life[each.kind](each)
      await life.compare()
      for (const { replay } of life.replays) await replay.end()
      for (const { replay } of life.replays) assert.deepEqual(liveFigures(replay.options.reader.liveSource), { queries: 0, shapes: 0 })
      await life.store.close()
    }), { numRuns })
  })
})
