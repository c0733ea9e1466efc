'use strict'

const assert = require('node:assert')
const { VERSION, formatFaults, hasTool } = require('../../scripts/lib/cpp-style')

describe('style of the C++ code', () => {
  it(`is what clang-format ${VERSION} makes of it`, function () {
    if (!hasTool('clang-format')) this.skip()
    assert.strictEqual(formatFaults(), '', 'run clang-format -i on these files')
  })
})
