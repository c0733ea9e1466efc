'use strict'

const assert = require('node:assert')
const { mkdtempSync, rmSync } = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { setImmediate: turn } = require('node:timers/promises')
const { toObject } = require('@potoroo/document-store')
const { Pool } = require('pmemobj')
const PouchDB = require('pouchdb-core').plugin(require('pouchdb-adapter-document-store'))
const seedrandom = require('seedrandom')
const { openDocuments } = require('..')

const PROGRAMS = Number(process.env.PROGRAMS ?? 20)
const STEPS = 15

/** All who may look at documents while a commit is under way, or as soon as they hear of one. Each returns what ends it. */
const READERS = {
  'a watch of all': (documents, read) => documents.watch(documents, read),
  'a watch of one': (documents, read) => documents.watch(documents.get('a'), read),
  ...Object.fromEntries(['written', 'commit'].map(event => [`the event ${event}`, ({ store }, read) => {
    store.on(event, read)
    return () => store.off(event, read)
  }])),
  'a follower of the feed': ({ store }, read) => {
    const ending = new AbortController()
    const following = (async () => { for await (const change of store.follow({ since: store.updateSeq, signal: ending.signal })) read(change) })()
    return async () => {
      ending.abort()
      await following.catch(() => {})
    }
  },
  'changes of PouchDB': (documents, read) => {
    const db = new PouchDB(documents.name, { adapter: 'document-store', databases: documents.databases })
    const changes = db.changes({ live: true }).on('change', read)
    return () => changes.cancel()
  },
  'each microtask': (documents, read) => {
    let ended = false
    const again = (n = 0) => {
      if (ended) return
      read()
      // Other turns come, too.
      if (n < 50) queueMicrotask(() => again(n + 1))
      else setImmediate(again)
    }
    again()
    return () => { ended = true }
  }
}

describe('documents as objects, read while they are committed', () => {
  let folder, pool

  before(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'potoroo-documents-'))
    pool = Pool.open(path.join(folder, 'pool'))
  })

  after(() => {
    pool.close()
    rmSync(folder, { recursive: true })
  })

  const CHANGES = {
    unshift: doc => doc.list.unshift({ n: 'c' }),
    reverse: doc => doc.list.reverse(),
    sort: doc => doc.list.sort((x, y) => x.n < y.n ? 1 : -1),
    splice: doc => doc.list.splice(0, 1, { n: 'd' }, { n: 'e' }),
    'a move between arrays': doc => doc.more.push(doc.list.shift()),
    'a move into another': doc => {
      doc.list[1].inner = doc.list[0]
      doc.list.shift()
    },
    'a swap of members': doc => { [doc.list, doc.more] = [doc.more, doc.list] },
    'a new state': (doc, documents) => documents.set('a', { list: [{ n: 'b' }], more: [] }),
    deletion: (doc, documents) => documents.delete('a')
  }

  for (const [reader, begin] of Object.entries(READERS)) {
    it(`have what is stored, and stay themselves (${reader})`, async () => {
      for (const [name, change] of Object.entries(CHANGES)) {
        const documents = await openDocuments(pool, `${reader}-${name}`.toLowerCase().replaceAll(' ', '-'))
        await documents.transaction(() => documents.set('a', { list: [{ n: 'a' }, { n: 'b' }], more: [{ n: 'x' }] }))
        await turn()
        const a = documents.get('a')
        const held = [...a.list, ...a.more]
        const seen = []
        const end = begin(documents, () => seen.push(JSON.stringify(a)))
        let moved
        await documents.transaction(() => {
          change(a, documents)
          moved = name === 'deletion' ? [] : placesOf(a).filter(({ object }) => held.includes(object))
        })
        while (seen.length === 0) await turn()
        await end()
        assertStored(documents)
        if (name !== 'a new state') for (const { object, way } of moved) assert.strictEqual(at(a, way), object, `${name}: ${way}`)
        if (name === 'deletion') continue
        await documents.transaction(() => { a.other = 1 })
        assertStored(documents)
        await documents.close()
      }
    })
  }

  for (const [reader, begin] of Object.entries(READERS).filter(([name]) => name !== 'each microtask')) {
    it(`are what others have written for who hears of it (${reader})`, async () => {
      const documents = await openDocuments(pool, `others-${reader}`.toLowerCase().replaceAll(' ', '-'))
      const { rev } = await documents.store.put({ _id: 'a', n: 1 })
      const a = documents.get('a')
      assert.strictEqual(a.n, 1)
      await turn()
      const seen = []
      const end = begin(documents, () => seen.push(a.n))
      // It may hear of what was before.
      await turn()
      seen.length = 0
      await documents.store.put({ _id: 'a', _rev: rev, n: 2 })
      while (seen.length === 0) await turn()
      await end()
      assert.deepStrictEqual(new Set(seen), new Set([2]))
      await documents.close()
    })
  }

  it('are of one commit, whoever reads them when', async () => {
    const documents = await openDocuments(pool, 'transfers')
    const ids = ['a', 'b', 'c']
    const random = seedrandom(process.env.SEED ?? 'transfers')
    await documents.transaction(() => { for (const id of ids) documents.set(id, { coins: [{ v: 10 }, { v: 20 }] }) })
    const total = () => ids.reduce((sum, id) => documents.get(id).coins.reduce((sum, { v }) => sum + v, sum), 0)
    const seen = new Set()
    const read = () => seen.add(documents.store.closed ? 90 : total())
    const ends = Object.values(READERS).map(begin => begin(documents, read))
    let others = 0
    for (let step = 0; step < 150; step++) {
      const [from, to] = [ids[pick(random, 3)], ids[pick(random, 3)]]
      const work = () => {
        // If it saw two commits, it is called again.
        if (total() !== 90) throw new Error('of two commits')
        const [one, other] = [documents.get(from).coins, documents.get(to).coins]
        if (one.length > 0) other[random() < 0.5 ? 'push' : 'unshift'](one.splice(pick(random, one.length), 1)[0])
        one.reverse()
      }
      const together = [documents.transaction(work), documents.transaction(work)]
      if (random() < 0.5 && from !== to) {
        const [one, other] = [from, to].map(id => toObject(documents.store.getSync(id)))
        const swapped = [{ ...one, coins: other.coins }, { ...other, coins: one.coins }]
        together.push(documents.store.write(swapped, { allOrNothing: true }).then(([{ ok = false }]) => { others += ok }))
      }
      if (random() < 0.5) await Promise.all(together)
    }
    await turn()
    await documents.transaction(() => {})
    for (const end of ends) await end()
    assertStored(documents)
    await documents.close()
    assert.deepStrictEqual([seen, others > 0], [new Set([90]), true])
  })

  it(`do so in random programs (${PROGRAMS} programs)`, async () => {
    for (let i = 0; i < PROGRAMS; i++) {
      const seed = `${process.env.SEED ?? Date.now()}-${i}`
      try {
        await program(seedrandom(seed), `program-${i}`)
      } catch (error) {
        error.message = `SEED=${seed}: ${error.message}`
        throw error
      }
    }
  })

  async function program (random, name) {
    const documents = await openDocuments(pool, name)
    const ids = ['a', 'b']
    let count = 0
    const made = () => ({ uid: `u${count++}`, list: [], more: [] })
    await documents.transaction(() => { for (const id of ids) documents.set(id, { ...made(), list: [made(), made()], more: [made()] }) })
    const failures = []
    const read = () => {
      if (documents.store.closed) return
      try { for (const id of ids) documents.plain(documents.get(id)) } catch (error) { failures.push(error) }
    }
    const ends = Object.values(READERS).filter(() => random() < 0.4).map(begin => begin(documents, read))
    for (let step = 0; step < STEPS; step++) {
      const together = Array.from({ length: 1 + pick(random, 2) }, () => transact(random, documents, ids, made))
      if (random() < 0.3) together.push(elsewhere(random, documents, ids, made))
      if (random() < 0.3) together.push(turn())
      await Promise.all(together)
      assertStored(documents)
    }
    for (const end of ends) await end()
    await documents.close()
    assert.deepStrictEqual(failures, [])
  }
})

/** Moves objects, and remembers which is where: they are still there when it has been committed, unless another commit came. */
async function transact (random, documents, ids, made) {
  const [changes, taken] = [1 + pick(random, 4), random() < 0.15]
  const seed = random()
  try {
    await documents.transaction(() => {
      const again = seedrandom(String(seed)) // the work may be done again
      for (let i = 0; i < changes; i++) change(again, documents, ids[pick(again, ids.length)], made)
      if (taken) throw new Error('taken back')
    })
  } catch (error) {
    if (error.message !== 'taken back') throw error
  }
}

function change (random, documents, id, made) {
  const kind = random()
  if (!documents.has(id) || kind < 0.05) return documents.set(id, { ...made(), list: [made()] })
  if (kind < 0.08) return documents.delete(id)
  const document = documents.get(id)
  const places = placesOf(document)
  const lists = [document.list, document.more, ...places.flatMap(({ object }) => [object.list, object.more])].filter(Array.isArray)
  const [from, to] = [lists[pick(random, lists.length)], lists[pick(random, lists.length)]]
  const works = [
    () => to.unshift(made()), () => to.push(made(), made()), () => to.reverse(), () => to.sort((x, y) => x.uid < y.uid ? 1 : -1),
    () => to.splice(pick(random, 2), pick(random, 3), made()), () => { to.length = Math.min(to.length, 1) },
    () => {
      const moved = from.shift()
      if (moved === undefined) return
      if (lists.includes(to) && isWithin(moved, to)) from.unshift(moved)
      else to.push(moved)
    },
    () => { [document.list, document.more] = [document.more ?? [], document.list ?? []] },
    () => { document.uid += '!' }
  ]
  works[pick(random, works.length)]()
}

function isWithin (object, list) {
  return [object.list, object.more].some(each => each === list || each?.some(inner => isWithin(inner, list)))
}

async function elsewhere (random, documents, ids, made) {
  const id = ids[pick(random, ids.length)]
  try {
    if (random() < 0.3) await documents.store.write([{ _id: id, _rev: `${1 + pick(random, 99)}-${String(random()).slice(2).padEnd(32, '0').slice(0, 32)}`, ...made(), list: [made()] }], { newEdits: false })
    else await documents.store.put({ ...made(), list: [made(), made()], _id: id, _rev: documents.get(id)?._rev })
  } catch (error) {
    if (error.code !== 'CONFLICT') throw error
  }
}

/** Finds in memory what is stored. */
function assertStored (documents) {
  const stored = documents.store.pageSync({ limit: 100 }).map(document => toObject(document))
  assert.deepStrictEqual(Array.from(documents, ([, document]) => documents.plain(document)), stored)
}

/** The objects in the lists of another one, and the ways to them. */
function placesOf (object, way = []) {
  return ['list', 'more', 'inner'].flatMap(name => {
    const member = object[name]
    if (typeof member !== 'object') return []
    if (!Array.isArray(member)) return [{ object: member, way: [...way, name] }, ...placesOf(member, [...way, name])]
    return member.flatMap((each, i) => [{ object: each, way: [...way, name, i] }, ...placesOf(each, [...way, name, i])])
  })
}

function at (object, way) { return way.reduce((each, name) => each[name], object) }

function pick (random, count) { return Math.floor(random() * count) }
