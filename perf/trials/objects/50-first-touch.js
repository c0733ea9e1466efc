'use strict'

const { fill } = require('../../lib/objects/fill')

/** A property of each of 100,000 objects, after the database was opened again, which is not timed. */
module.exports = {
  name: 'first touch of an object',
  unit: 'object',
  needs: 'files',
  size: 100_000,
  step: 1,
  async prepare (subject, { size, reopen }) {
    await fill(subject, size)
    return { current: subject, size, reopen }
  },
  async ready (state) {
    await state.current.close()
    state.current = await state.reopen()
  },
  async run ({ current, size }) {
    for (let number = 0; number < size; number++) {
      let visits = current.get(number, 'visits')
      if (typeof visits !== 'number') visits = await visits
      if (visits !== number * 3) throw new Error(`Not the visits of ${number}`)
    }
    return size
  }
}
