'use strict'

// Random programs over a pool while its garbage is collected a step at a time. To be run with
// --expose-gc, in a process of its own: what JavaScript lets go of has to be gone.
//
//   node --expose-gc program.js LOCATION RUNS

const assert = require('node:assert')
const { setImmediate: turn } = require('node:timers/promises')
const fc = require('fast-check')
const { Pool } = require('../../..')
const binding = require('../../../lib/binding/binding')
const { Heap } = require('../../../lib/objects/heap/heap')
const { Collection } = require('../../../lib/objects/collector/collection')
const { plain } = require('../../../lib/objects/heap/plain')

const NAMES = ['a', 'b', 'c']
const LONG = 'long '.repeat(100)

/** A pool's objects, and what they should be: each that is in hand with its twin of plain objects. */
class World {
  #location
  #handle
  #heap
  #root = { a: null }
  #hands = []
  /** @type {Collection | undefined} */
  #collection

  constructor (location) {
    this.#location = location
    Pool.create(location).close()
    this.#open()
    this.#heap.root = this.#root
  }

  #open () {
    this.#handle = binding.open(this.#location, false, false, false, 0, 2 ** 30, 0, undefined)
    this.#heap = new Heap(this.#handle, { collect: false, cacheSize: 4 })
  }

  #close () {
    this.#collection?.close()
    this.#collection = undefined
    this.#hands = []
    this.#heap.close()
    binding.close(this.#handle)
  }

  // Steps of a program

  root () {
    this.#take(this.#heap.root, this.#root)
  }

  create (value, other) {
    const from = this.#hand(other)
    this.#take(this.#heap.create({ ...value, b: from.object }), { ...structuredClone(value), b: from.twin })
  }

  get (hand, name) {
    const { object, twin } = this.#hand(hand)
    this.#take(object[name], twin[name])
  }

  put (hand, name, other) {
    const [to, from] = [this.#hand(hand), this.#hand(other)]
    to.object[name] = from.object
    to.twin[name] = from.twin
  }

  copy (hand, name, value) {
    const { object, twin } = this.#hand(hand)
    object[name] = value
    twin[name] = structuredClone(value)
  }

  remove (hand, name) {
    const { object, twin } = this.#hand(hand)
    delete object[name]
    delete twin[name]
  }

  /** All of it is taken back; an object of it may stay in hand. */
  fail (hand, name, value, other) {
    const { object, twin } = this.#hand(hand)
    const from = this.#hand(other)
    let inner
    assert.throws(() => this.#heap.run(() => {
      object[name] = { ...value, b: from.object }
      inner = object[name]
      throw new Error('no')
    }), /no/)
    assert.strictEqual(Object.hasOwn(object, name), Object.hasOwn(twin, name))
    this.#take(inner, { ...structuredClone(value), b: from.twin })
  }

  letGo (hand) {
    this.#hands.splice(hand % Math.max(this.#hands.length, 1), 1)
  }

  async sweepUp () {
    await turn()
    globalThis.gc()
  }

  step (count) {
    this.#collection ??= new Collection(this.#heap)
    for (let i = 0; i < count; i++) {
      if (this.#collection.step()) continue
      this.#collection = undefined
      return
    }
  }

  reopen () {
    this.#close()
    this.#open()
  }

  #take (object, twin) {
    assert.strictEqual(typeof object, typeof twin)
    if (typeof twin === 'object' && twin !== null) this.#hands.push({ object, twin })
  }

  #hand (number) {
    if (this.#hands.length === 0) this.root()
    return this.#hands[number % this.#hands.length]
  }

  // Checks

  check () {
    for (const { object, twin } of this.#hands) assert.deepStrictEqual(plain(object), twin)
    assert.deepStrictEqual(plain(this.#heap.root), this.#root)
  }

  end () {
    this.check()
    this.reopen()
    const { kept } = this.#heap.collect()
    assert.strictEqual(kept, reached(this.#root).size)
    assert.deepStrictEqual(this.#heap.collect(), { objects: 0, kept })
    this.check()
    this.#close()
    Pool.destroy(this.#location)
  }
}

function reached (root) {
  const objects = new Set([root])
  for (const object of objects) {
    for (const value of Object.values(object)) {
      if (typeof value === 'object' && value !== null) objects.add(value)
    }
  }
  return objects
}

const hand = fc.nat(30)
const name = fc.constantFrom(...NAMES)
const value = fc.letrec(tie => ({
  object: fc.dictionary(name, tie('any'), { maxKeys: 3, noNullPrototype: true }),
  any: fc.oneof({ maxDepth: 2 }, fc.constantFrom(1, 'x', LONG, null), tie('object'))
})).object

const steps = fc.integer({ min: 1, max: 4 })

/** How often, and with what. */
const operations = Object.entries({
  root: [1],
  create: [2, value, hand],
  get: [5, hand, name],
  put: [4, hand, name, hand],
  copy: [4, hand, name, value],
  remove: [5, hand, name],
  fail: [2, hand, name, value, hand],
  letGo: [5, hand],
  step: [8, steps],
  sweepUp: [2],
  reopen: [0.2]
}).map(([what, [weight, ...words]]) => ({
  weight: 10 * Number(weight), arbitrary: fc.record({ what: fc.constant(what), words: fc.tuple(...(words)) })
}))

async function main (location, runs) {
  let count = 0
  const programs = fc.array(fc.oneof(...operations), { minLength: 100, maxLength: 200, size: 'max' })
  await fc.assert(fc.asyncProperty(programs, async program => {
    const world = new World(`${location}-${count++}`)
    for (const { what, words } of program) {
      await world[what](...structuredClone(words))
      if (what === 'step' || what === 'sweepUp') world.check()
    }
    world.end()
  }), { numRuns: runs })
}

main(process.argv[2], Number(process.argv[3])).catch(error => {
  console.error(error.message, error.cause)
  process.exitCode = 1
})
