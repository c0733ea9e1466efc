'use strict'

const assert = require('node:assert')
const { mkdtempSync, rmSync } = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { Pool } = require('pmemobj')
const seedrandom = require('seedrandom')
const { openDocuments } = require('..')

const PROGRAMS = Number(process.env.PROGRAMS ?? 60)
const STEPS = 30
const IDS = ['a', 'b', 'c']
const NAMES = ['x', 'y', 'list', '__proto__']

describe('random programs of documents, beside plain objects', () => {
  let folder, pool

  before(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'potoroo-documents-'))
    pool = Pool.open(path.join(folder, 'pool'))
  })

  after(() => {
    pool.close()
    rmSync(folder, { recursive: true })
  })

  it(`do the same (${PROGRAMS} programs)`, async () => {
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
    let documents = await openDocuments(pool, name)
    let model = new Map()
    /** Objects that are held from step to step: they must be what the plain ones at their place are. */
    for (let step = 0; step < STEPS; step++) {
      const held = documents.get('a')
      const ended = []
      // They share a commit.
      for (let n = pick(random, 3); n >= 0; n--) {
        const next = new Map([...model].map(([id, value]) => [id, structuredClone(value)]))
        const transaction = documents.transaction(() => {
          for (let n = pick(random, 4); n >= 0; n--) change(random, documents, next)
          if (random() < 0.2) throw new Error('taken back')
          model = new Map([...next].map(([id, value]) => [id, separated(value)]))
        })
        ended.push(transaction.catch(error => assert.strictEqual(error.message, 'taken back')))
      }
      await Promise.all(ended)
      if (random() < 0.2) await writeElsewhere(random, documents, model)
      assertSame(documents, model)
      if (held !== undefined && model.has('a')) assert.strictEqual(documents.get('a'), held)
      if (random() < 0.1) {
        await documents.close()
        documents = await openDocuments(pool, name)
        assertSame(documents, model)
      }
    }
    await documents.close()
  }
})

/** Does the same to documents and to plain objects. */
function change (random, documents, model) {
  const id = IDS[pick(random, IDS.length)]
  const kind = random()
  if (!model.has(id) || kind < 0.1) {
    const value = valueOf(random, 2, true)
    documents.set(id, value)
    model.set(id, value === undefined ? {} : structuredClone(value))
  } else if (kind < 0.2) {
    assert.strictEqual(documents.delete(id), model.delete(id))
  } else if (kind < 0.4) {
    move(random, documents.get(id), model.get(id))
  } else {
    const [object, plain] = placeIn(random, documents.get(id), model.get(id))
    if (Array.isArray(plain)) changeArray(random, object, plain)
    else changeObject(random, object, plain)
  }
}

/** Puts an object of a document at another place in it, too: both are the same until the transaction ends. */
function move (random, document, model) {
  const [object, plain] = placeIn(random, document, model)
  const [target, plainTarget] = placeIn(random, document, model)
  if (object === document) return
  const name = Array.isArray(plainTarget) ? String(pick(random, plainTarget.length + 1)) : NAMES[pick(random, 3)]
  if (liesIn(plainTarget, plain)) {
    assert.throws(() => { target[name] = object }, TypeError)
  } else {
    target[name] = object
    plainTarget[name] = plain
  }
}

function liesIn (object, outer) {
  return object === outer || (typeof outer === 'object' && outer !== null && Object.values(outer).some(inner => liesIn(object, inner)))
}

/** The same with an object of its own at each place. */
function separated (value) {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(separated)
  const made = {}
  for (const name of Object.keys(value)) Object.defineProperty(made, name, { value: separated(value[name]), writable: true, enumerable: true, configurable: true })
  return made
}

/** Goes down at random, on both sides. */
function placeIn (random, object, plain) {
  const names = Object.keys(plain).filter(name => typeof plain[name] === 'object' && plain[name] !== null && name !== '__proto__')
  if (names.length === 0 || random() < 0.3) return [object, plain]
  const name = names[pick(random, names.length)]
  return placeIn(random, object[name], plain[name])
}

function changeObject (random, object, plain) {
  const name = NAMES[pick(random, 3)]
  if (random() < 0.2) {
    assert.strictEqual(delete object[name], delete plain[name])
  } else {
    const value = valueOf(random, 2)
    object[name] = value
    plain[name] = structuredClone(value)
  }
  assert.deepStrictEqual(Object.keys(object).filter(name => !name.startsWith('_')), Object.keys(plain))
}

function changeArray (random, list, plain) {
  const value = valueOf(random, 1)
  const [from, count] = [pick(random, 4), pick(random, 3)]
  const works = [l => l.push(value), l => l.pop(), l => l.shift(), l => l.unshift(value), l => l.splice(from, count, value), l => l.reverse(), l => l.sort((a, b) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1), l => { l.length = Math.min(l.length, from) }]
  const work = works[pick(random, works.length)]
  assert.strictEqual(JSON.stringify(work(list)), JSON.stringify(work(plain)))
  // The plain array has the value itself: a document has copies.
  for (let i = 0; i < plain.length; i++) if (plain[i] === value) plain[i] = structuredClone(value)
}

/** JSON of some depth. */
function valueOf (random, depth, isDocument = false) {
  const kind = isDocument ? 0.9 : random()
  if (depth === 0 || kind < 0.4) return [null, true, 0.5, 'text', '', -3][pick(random, 6)]
  if (kind < 0.7) return Array.from({ length: pick(random, 4) }, () => valueOf(random, depth - 1))
  return Object.fromEntries(NAMES.slice(0, 3).filter(() => random() < 0.5).map(name => [name, valueOf(random, depth - 1)]))
}

/** Writes as a replication would, which knows nothing of the objects. */
async function writeElsewhere (random, documents, model) {
  const id = IDS[pick(random, IDS.length)]
  const value = valueOf(random, 2, true)
  await documents.store.put({ ...value, _id: id, _rev: documents.get(id)?._rev })
  model.set(id, structuredClone(value))
}

function assertSame (documents, model) {
  const found = [...documents].map(([id, document]) => [id, membersOf(documents.plain(document))])
  assert.deepStrictEqual(found, [...model].sort(([a], [b]) => a < b ? -1 : 1))
}

function membersOf ({ _id, _rev, ...members }) { return members }

function pick (random, count) { return Math.floor(random() * count) }
