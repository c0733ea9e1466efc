'use strict'

const { findDriver } = require('../lib/run/catalogue')
const { footprint, prepareFootprint, bytesOnMedia } = require('../lib/run/footprint')
const { fill, openAgain } = require('../lib/objects/fill')

/** A database of 100,000 objects as a whole. */
const large = { needs: 'files', size: 100_000 }

/** @type {import('../lib/run/catalogue').Trial[]} */
module.exports = [
  {
    // The database was opened again before, which is not timed.
    ...large,
    name: 'first touch of an object',
    unit: 'object',
    step: 1,
    prepare: withReopen,
    ready: openAgain,
    async run ({ current, size }) {
      for (let number = 0; number < size; number++) {
        let visits = current.get(number, 'visits')
        if (typeof visits !== 'number') visits = await visits
        if (visits !== number * 3) throw new Error(`Not the visits of ${number}`)
      }
      return size
    }
  },
  {
    ...large,
    name: 'close and open 100,000 objects',
    unit: 'time',
    step: 1,
    prepare: withReopen,
    async run (state, start) {
      await openAgain(state)
      const number = start % state.size
      if (await state.current.get(number, 'visits') !== number * 3) throw new Error(`Not the visits of ${number}`)
    }
  },
  {
    // Each object has another one in it; half of them have become garbage.
    ...large,
    name: 'collect garbage, half of the objects',
    unit: 'object',
    needs: 'collect',
    step: 1,
    most: 6,
    prepare: async (subject, { size }) => ({ subject, size }),
    async ready ({ subject, size }) {
      subject.root.objects.length = 0
      subject.collect()
      await fill(subject, size)
      subject.root.objects.length = size / 2
    },
    async run ({ subject, size }) {
      const { objects } = subject.collect()
      if (objects !== size) throw new Error(`${objects} objects were collected, not ${size}`)
      return 2 * size
    }
  },
  {
    // They come by a thousand in a transaction. A pool's bytes in use count, and others' files.
    ...large,
    name: 'bytes on media',
    unit: 'object',
    figure: 'bytes',
    async prepare (subject, { size, folder }) {
      const before = subject.used?.()
      await fill(subject, size)
      const used = subject.used?.()
      await subject.close()
      return { size, bytes: used === undefined ? bytesOnMedia(folder) : used - before }
    },
    run: async ({ size, bytes }) => bytes / size
  },
  { ...large, ...footprint, name: 'DRAM, not loaded', unit: 'object', prepare: prepareFootprint(fill) },
  {
    // V8's heap, and what is beside it, of objects that were read, and that the program holds.
    ...large,
    name: 'DRAM, loaded and held',
    unit: 'object',
    needs: 'root',
    figure: 'bytes',
    async prepare (subject, { size, driver, reopen }) {
      const empty = await heap()
      await fill(subject, size)
      if (findDriver(driver).lacks?.includes('files')) return { current: subject, size, before: empty }
      await subject.close()
      const current = await reopen()
      return { current, size, before: await heap() }
    },
    async run ({ current, size, before }) {
      const held = new Array(size)
      for (let number = 0; number < size; number++) {
        held[number] = current.root.objects[number]
        if (held[number].number !== number || held[number].address.zip !== 7250) throw new Error(`Not ${number}`)
      }
      return (await heap() - before) / held.length
    }
  }
]

async function withReopen (subject, { size, reopen }) {
  await fill(subject, size)
  return { current: subject, size, reopen }
}

async function heap () {
  await new Promise(resolve => setImmediate(resolve))
  global.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
