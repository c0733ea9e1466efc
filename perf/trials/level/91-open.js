'use strict'

const { load } = require('../../lib/level/entries')

/** Closes a database with the entries, and opens it again. */
module.exports = {
  name: 'close and open',
  unit: 'entry',
  needs: 'files',
  size: 1_000_000,
  step: 1,
  async prepare (level, { size, reopen }) {
    const keys = await load(level, size)
    return { current: level, size, key: keys[0], reopen }
  },
  async run (state) {
    await state.current.close()
    state.current = await state.reopen()
    const value = (await state.current.getMany([state.key]))[0]
    if (value.length !== 200) throw new Error(`Not the value: ${value}`)
    return state.size
  }
}
