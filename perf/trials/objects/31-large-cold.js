'use strict'

const { makeLargeObject } = require('../../lib/objects/samples')

const NAME = 'property77'

/** One property of an object of 100,000 of them, after the database was opened again, which is not timed. */
module.exports = {
  name: 'get one of 100,000 properties, cold',
  unit: 'get',
  needs: 'files',
  size: 100_000,
  step: 1,
  most: 200,
  async prepare (subject, { size, reopen }) {
    const object = makeLargeObject(Math.max(size, 100))
    await subject.insert(0, [object])
    return { current: subject, expected: object[NAME], reopen }
  },
  async ready (state) {
    await state.current.close()
    state.current = await state.reopen()
  },
  async run ({ current, expected }) {
    if (await current.get(0, NAME) !== expected) throw new Error('Not the value')
  }
}
