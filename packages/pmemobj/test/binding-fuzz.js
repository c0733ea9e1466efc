'use strict'

// Calls each function of the addon, which is not public, with arguments that it does not expect:
//
//   node binding-fuzz.js FOLDER SEED
//
// Prints, for each function, how often it threw what; anything but an error is a fault of the addon,
// and ends this process.

const assert = require('node:assert')
const { isMainThread, workerData, Worker } = require('node:worker_threads')
const path = require('node:path')
const seedrandom = require('seedrandom')
const binding = require('../lib/binding/binding')

const [folder, seed] = isMainThread ? process.argv.slice(2) : workerData
const random = seedrandom(`${seed} ${isMainThread}`)
const below = limit => Math.floor(random() * limit)
const pick = list => list[below(list.length)]
const collect = (array, ...elements) => array === undefined ? elements : (array.push(...elements), array)

const openPool = (name, ...rest) => binding.open(path.join(folder, name), true, false, false, 0, 0, 0, undefined, ...rest)

// One thread of those that share a pool may use them: claimObjects() says which one.
const OF_ONE_THREAD = ['saveBuffer', 'restoreBuffers', 'commit', 'createBuffer']

/** Makes the arguments of functions that are called right. */
function world (name) {
  binding.setCollect(collect)
  binding.setSlab(new ArrayBuffer(65536))
  binding.setOutbox(new ArrayBuffer(4096))
  binding.setInbox(new ArrayBuffer(4096))
  const pool = openPool(OF_ONE_THREAD.includes(name) ? `own-${isMainThread}` : 'shared')
  const map = binding.openMap(pool, 'map')
  for (let i = 0; i < 20; i++) binding.put(pool, map, `key ${i}`, 'x'.repeat(i * 100))
  const closed = openPool(`closed-${isMainThread}`)
  const ofClosed = binding.takeSnapshot(closed)
  binding.close(closed)
  const snapshot = binding.takeSnapshot(pool)
  const iterator = binding.iterator(pool, map, 0b11110, undefined, undefined, -1, undefined)
  const closedIterator = binding.iterator(pool, map, 0, undefined, undefined, -1, undefined)
  binding.closeIterator(closedIterator)
  binding.createBuffer(pool, map, 6, 100)
  const buffer = binding.openBuffer(pool, map, 6)
  return { pool, map, closed, ofClosed, snapshot, iterator, closedIterator, buffer }
}

/** Arguments that make sense, by function; those of other functions begin as `(pool, map, key)`. */
const right = ({ pool, map, snapshot, iterator, buffer }) => ({
  setSlab: [new ArrayBuffer(8192)],
  setOutbox: [new ArrayBuffer(4096)],
  setInbox: [new ArrayBuffer(4096)],
  setCollect: [collect],
  setDetach: [buffer => { structuredClone(buffer, { transfer: [buffer] }) }],
  // A pool that no thread opens.
  check: [path.join(folder, 'idle')],
  salvage: [path.join(folder, 'idle'), path.join(folder, `salvaged-${isMainThread}`), 0, 0],
  open: [path.join(folder, 'opened'), true, false, false, 0, 0, 0, 'strict'],
  write: [pool, [map, 'key', 'value', map, 'other', undefined]],
  writeBuffers: [pool, [map, 'buffer', 'value']],
  writeAsync: [pool, [map, 'key', 'value']],
  getMany: [pool, map, snapshot, true, 'key 1', 'key 2'],
  hasMany: [pool, map, snapshot, false, 'key 1', 'key 2'],
  getBytes: [pool, map, 'key 5', 0, snapshot],
  clear: [pool, map, 0, 'key 18', 'key 19', -1, snapshot],
  clearAsync: [pool, map, 0, 'key 18', 'key 19', -1, undefined],
  iterator: [pool, map, 30, 'a', 'z', -1, snapshot],
  next: [iterator, 10],
  seek: [iterator, 'key 3'],
  closeIterator: [binding.iterator(pool, map, 0, undefined, undefined, -1, undefined)],
  takeSnapshot: [pool],
  closeSnapshot: [binding.takeSnapshot(pool)],
  mapsOf: [pool, snapshot],
  openMap: [pool, 'map'],
  dropMap: [pool, 'another'],
  commit: [pool, 0, false],
  read: [pool, map, 6, snapshot],
  createBuffer: [pool, map, 6, 16, new Uint8Array(16)],
  openBuffer: [pool, map, 6, snapshot],
  detachBuffer: [new ArrayBuffer(8)],
  flushBuffer: [pool, buffer, 0, 8],
  saveBuffer: [pool, buffer, 0, 8],
  restoreBuffers: [pool, 0],
  duplicateDescriptor: [2],
  releaseMemory: []
})

function detached (buffer) {
  structuredClone(buffer, { transfer: [buffer] })
  return buffer
}

function odd ({ pool, closed, ofClosed, snapshot, iterator, closedIterator, buffer }) {
  const gone = new Uint8Array(32)
  detached(gone.buffer)
  const shrunk = new Uint8Array(new ArrayBuffer(64, { maxByteLength: 128 }), 40)
  shrunk.buffer.resize(8)
  const sparse = Object.assign([], { length: 2 ** 32 - 1 })
  const thrower = { toString () { throw new Error('mine') }, valueOf () { throw new Error('mine') }, get length () { throw new Error('mine') } }
  const getter = Object.defineProperty([0, 'key', 'value'], 1, { get () { throw new Error('mine') } })
  return [
    undefined, null, true, false, 0, -1, 1, 0.5, NaN, Infinity, -Infinity, 2 ** 53, -(2 ** 53), 2 ** 64, 2n ** 70n,
    '', 'x', 'a\0b', '\ud800', 'é'.repeat(2 ** 19), Symbol('s'), {}, thrower, getter, [], [1, 2, 3], [1, 2], sparse, new Proxy([], thrower),
    () => {}, async () => {}, class {}, new Date(NaN), /x/, new Map(), new Error('mine'), globalThis,
    gone, gone.buffer, shrunk, shrunk.buffer, new Uint8Array(0), new Uint8Array(8), new Uint8Array(2 ** 21), new Float64Array(4), new DataView(new ArrayBuffer(4)),
    new ArrayBuffer(0), new ArrayBuffer(16), new SharedArrayBuffer(16), new Uint8Array(new SharedArrayBuffer(2 ** 16)), Buffer.from('key 1'),
    pool, closed, ofClosed, snapshot, iterator, closedIterator, buffer, new Uint8Array(buffer)
  ]
}

const promises = []
const counts = {}

function call (name, list) {
  let outcome = 'returned'
  try {
    const result = binding[name](...list)
    if (result instanceof Promise) promises.push(result.catch(assertError))
  } catch (error) {
    outcome = assertError(error)
  }
  counts[name] ??= {}
  counts[name][outcome] = (counts[name][outcome] ?? 0) + 1
}

function assertError (error) {
  assert.ok(error instanceof Error, String(error))
  assert.ok(error instanceof TypeError || error instanceof RangeError || error.message === 'mine' || /^(PMEMOBJ_|EBADF|EMFILE)/.test(error.code), error.stack)
  return error.code ?? error.name
}

/** A pool of any size may be made: none of those that a disk has room for. And threads do not make the same one. */
const tooMuch = (name, list) => (name === 'open' && list.slice(4, 7).some(size => size === 2 ** 64)) ||
  (name === 'salvage' && typeof list[1] === 'string' && !list[1].includes('salvaged-'))

function attack (name, here) {
  const odds = odd(here)
  const good = right(here)[name] ?? [here.pool, here.map, 'key 1', 'value']
  const attempts = [[], good]
  for (const value of odds) {
    attempts.push([value], Array(9).fill(value))
    for (let i = 0; i < good.length; i++) attempts.push([...good.slice(0, i), value, ...good.slice(i + 1)])
  }
  for (let i = 0; i < 60; i++) attempts.push(Array.from({ length: below(10) }, () => pick(odds)))
  for (const list of attempts) if (!tooMuch(name, list)) call(name, list)
}

async function main () {
  if (isMainThread) {
    process.chdir(folder)
    binding.close(openPool('idle'))
  }
  const functions = Object.keys(binding).filter(name => typeof binding[name] === 'function')
  assert.ok(functions.length > 40)
  const threads = isMainThread ? [new Worker(__filename, { workerData: [folder, seed] })] : []
  const ends = threads.map(thread => new Promise((resolve, reject) => thread.once('exit', resolve).once('error', reject)))
  for (const name of functions) {
    const here = world(name)
    attack(name, here)
    await Promise.all(promises.splice(0))
    // The last of the threads that share it closes it.
    binding.close(here.pool)
  }
  assert.deepEqual(await Promise.all(ends), threads.map(() => 0))
  if (isMainThread) process.stdout.write(JSON.stringify(counts))
}

main()
