'use strict'

const { shapes } = require('./shapes')
const { inWords, runShape } = require('./support/run-shape')

// Bounds of time and memory are for `npm run test:hostile`, on a machine that does nothing else.
describe('under attack', function () {
  this.timeout(600_000)

  for (const shape of shapes) {
    it(`${shape.name}: ${shape.what}`, async () => {
      console.log(`      ${inWords(await runShape(shape, 'short', { bounded: false }))}`)
    })
  }
})
