'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { DatabaseReaders, Databases, parseJson, readBare } = require('..')
const { randomDocument, seeded } = require('./random-documents')

const OPTIONS = { deterministicRevs: 'couchdb' }
const IDS = 12
const ROUNDS = 400

/** The level as another thread has it: as stores see it, another one. */
function handleOf (level) {
  return new Proxy(level, { get: (target, name) => typeof target[name] === 'function' ? target[name].bind(target) : target[name] })
}

/** A database, and its reader whose writes are committed by the database; what was handed over is structured-cloned, as between threads. */
async function open (options = {}) {
  const level = new MemoryLevel()
  await level.open()
  const databases = await Databases.open(level, OPTIONS)
  const store = await databases.create('db', options)
  const committed = []
  const commit = async write => {
    committed.push(write)
    return structuredClone(await store.writePrepared(structuredClone(write)))
  }
  const readers = new DatabaseReaders(handleOf(level), { ...OPTIONS, commit })
  return { databases, store, reader: readers.get('db'), readers, committed }
}

const plain = results => results.map(({ code, reason, id, rev }) => ({ code, reason, id, rev }))

async function contentsOf (store) {
  const changes = []
  for await (const page of store.changes({ style: 'all_docs' })) changes.push(...page.map(({ id, seq, deleted, leaves, changes }) => ({ id, seq, deleted, leaves, changes })))
  const documents = []
  for await (const page of (await store.allDocs({ includeDocs: true })).rows) documents.push(...page.map(({ document }) => [document.id, document.rev, document.body]))
  return { changes, documents, info: { ...await store.info(), instanceId: '', createdAt: 0 } }
}

describe('writes that are prepared in another thread', () => {
  let here
  beforeEach(async () => { here = await open() })
  afterEach(() => here.databases.close())

  it('give the same results and the same database as those of the store itself', async () => {
    const random = seeded(7)
    const other = await open()
    /** @type {Map<string, string[]>} */
    const revs = new Map()
    for (let round = 0; round < ROUNDS; round++) {
      const newEdits = random(4) > 0
      const docs = Array.from({ length: 1 + random(4) }, () => anyEdit(random, revs, newEdits))
      const text = JSON.stringify({ docs })
      const options = { newEdits, checkLocal: false, user: random(2) === 0 ? { name: 'jan', roles: [] } : undefined }
      const parse = random(2) === 0 ? () => readBare(Buffer.from(text)) ?? parseJson(Buffer.from(text), 2) : () => JSON.parse(text)
      const results = await here.reader.write(parse().docs, options)
      assert.deepEqual(plain(results), plain(await other.store.write(parse().docs, options)))
      results.forEach(result => { if (result.rev !== undefined) revs.set(result.id, [...revs.get(result.id) ?? [], result.rev]) })
    }
    assert.equal(here.committed.length, ROUNDS)
    assert.deepEqual(await contentsOf(here.store), await contentsOf(other.store))
    await other.databases.close()
  })

  /** @param {(below: number) => number} random @param {Map<string, string[]>} revs @param {boolean} newEdits */
  function anyEdit (random, revs, newEdits) {
    const _id = `doc${random(IDS)}`
    const known = revs.get(_id) ?? []
    const body = { ...randomDocument(random), _id }
    for (const name of Object.keys(body)) if (name.startsWith('_') && name !== '_id') delete body[name]
    if (random(5) === 0) body._deleted = true
    if (!newEdits) {
      const own = `${random(16).toString(16)}`.repeat(32)
      const parent = known.length > 0 && random(2) === 0 ? known[known.length - 1] : undefined
      const start = parent === undefined ? 1 : parseInt(parent) + 1
      return { ...body, _rev: `${start}-${own}`, _revisions: { start, ids: parent === undefined ? [own] : [own, parent.slice(parent.indexOf('-') + 1)] } }
    }
    // Mostly the last revision, at times none, and at times one that is not the last.
    const which = random(6)
    if (known.length > 0 && which > 0) body._rev = which === 1 ? known[random(known.length)] : known[known.length - 1]
    return body
  }

  it('hand over the revision, which the owner does not work out again', async () => {
    const [{ rev }] = await here.reader.write([{ _id: 'a', n: 1 }])
    const [{ edits }] = here.committed
    assert.ok(edits.includes(rev.slice(2)), edits.join())
    // A hash that is another one shows that it is taken as it is.
    const other = 'f'.repeat(32)
    const again = { ...here.committed[0], edits: edits.map(text => text === rev.slice(2) ? other : text === 'a' ? 'b' : text) }
    assert.deepEqual(await here.store.writePrepared(again), [`1-${other}`])
    // A hash of another kind is not.
    assert.deepEqual(await here.store.writePrepared({ ...again, edits: ['true', ...again.edits.slice(1).map(text => text === 'b' ? 'c' : text)] }), [rev])
  })

  it('follow a deleted document with the revision of what is there', async () => {
    const [{ rev }] = await here.reader.write([{ _id: 'a', n: 1 }])
    await here.reader.write([{ _id: 'a', _rev: rev, _deleted: true }])
    const [again] = await here.reader.write([{ _id: 'a', n: 2 }])
    const other = await open()
    const [first] = await other.store.write([{ _id: 'a', n: 1 }])
    await other.store.write([{ _id: 'a', _rev: first.rev, _deleted: true }])
    assert.deepEqual([again], await other.store.write([{ _id: 'a', n: 2 }]))
    assert.equal(parseInt(again.rev), 3)
    await other.databases.close()
  })

  it('tell conflicts, each with its own document', async () => {
    await here.reader.write([{ _id: 'a' }])
    const results = await here.reader.write([{ _id: 'a', n: 1 }, { _id: 'b', n: 1 }])
    assert.deepEqual(results.map(({ id, code, ok }) => [id, code, ok]), [['a', 'CONFLICT', undefined], ['b', undefined, true]])
  })

  it('note who wrote', async () => {
    await here.reader.write([{ _id: 'a' }], { user: { name: 'jan', roles: [] } })
    assert.equal((await here.store.get('a', { meta: true })).meta.user, 'jan')
  })

  it('are left to the owner where they are not plain', async () => {
    const data = { content_type: 'text/plain', data: 'YQ==' }
    const unusual = [
      [[{ _id: '_local/a' }]], [[{ _id: 'a', _attachments: { b: data } }]], [[{ _id: '_a' }]], [[{ _id: 'a', _odd: 1 }]], [[]], [[null]],
      [Array.from({ length: 1001 }, () => ({}))], [[{ _id: 'a' }], { allOrNothing: true }], [[{ _id: 'a' }], { keepSequences: true }], [[{ _id: 'a' }], { autoCompaction: true }],
      [[{ _id: 'a' }], { reads: [{ id: 'a', rev: '1-a' }] }], [[{ _id: 'a' }], { unless: () => true }]
    ]
    for (const [docs, options] of unusual) assert.equal(await here.reader.write(docs, options), null, JSON.stringify([docs, options]))
    assert.equal(here.committed.length, 0)
    assert.equal(here.store.updateSeq, 0)
  })

  it('are left to the owner of a database with access by document', async () => {
    const other = await open({ access: true })
    assert.equal(await other.reader.write([{ _id: 'a' }]), null)
    await here.reader.write([{ _id: 'a' }])
    assert.equal(await other.store.writePrepared({ ...here.committed[0], instanceId: other.store.instanceId }), null)
    await other.databases.close()
  })

  it('are the only writes: a reader commits nothing itself', async () => {
    const other = await open({ access: true })
    const member = other.reader.forMember({ name: 'jan', roles: [] })
    await assert.rejects(member.write([{ _id: 'a', _access: ['jan'] }]), { code: 'INTERNAL' })
    assert.equal(other.store.updateSeq, 0)
    await other.databases.close()
  })

  it('are of one database, and not of the next one of its name', async () => {
    await here.reader.write([{ _id: 'a' }])
    await here.databases.destroy('db')
    const next = await here.databases.create('db')
    assert.equal(await next.writePrepared(here.committed[0]), null)
    assert.equal(next.updateSeq, 0)
  })

  it('find the same hash for a long body', async () => {
    const text = 'x'.repeat(600_000)
    const results = await here.reader.write([{ _id: 'a', text }])
    const other = await open()
    assert.deepEqual(results, await other.store.write([{ _id: 'a', text }]))
    await other.databases.close()
  })
})
