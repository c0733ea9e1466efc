'use strict'

const { fill } = require('../../lib/objects/fill')

/** Closing, and opening again, of what holds 100,000 objects, and a property of one of them. */
module.exports = {
  name: 'close and open 100,000 objects',
  unit: 'time',
  needs: 'files',
  size: 100_000,
  step: 1,
  async prepare (subject, { size, reopen }) {
    await fill(subject, size)
    return { current: subject, size, reopen }
  },
  async run (state, start) {
    await state.current.close()
    state.current = await state.reopen()
    const number = start % state.size
    if (await state.current.get(number, 'visits') !== number * 3) throw new Error(`Not the visits of ${number}`)
  }
}
