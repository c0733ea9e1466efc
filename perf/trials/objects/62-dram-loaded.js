'use strict'

const { fill } = require('../../lib/objects/fill')

/** V8's heap, and what is beside it, of objects that were read, and that the program holds. */
module.exports = {
  name: 'DRAM, loaded and held',
  unit: 'object',
  needs: 'root',
  size: 100_000,
  figure: 'bytes',
  async prepare (subject, { size, driver, reopen }) {
    const empty = await memory()
    await fill(subject, size)
    if (require(driver).lacks?.includes('files')) return { current: subject, size, before: empty }
    await subject.close()
    const current = await reopen()
    return { current, size, before: await memory() }
  },
  async run ({ current, size, before }) {
    const held = new Array(size)
    for (let number = 0; number < size; number++) {
      held[number] = current.root.objects[number]
      if (held[number].number !== number || held[number].address.zip !== 7250) throw new Error(`Not ${number}`)
    }
    return (await memory() - before) / held.length
  }
}

async function memory () {
  await new Promise(resolve => setImmediate(resolve))
  global.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
