'use strict'

const assert = require('node:assert/strict')
const { readClusterSettings } = require('../lib/cluster/cluster-settings')
const { startError } = require('../lib/commands/start-error')
const { Config } = require('../lib/config/config')

describe('[cluster] lifetime', () => {
  /** @param {string | number} lifetime */
  const read = lifetime => readClusterSettings(new Config(null, { cluster: { lifetime } })).lifetime

  it('is in seconds', () => assert.deepEqual([read('2'), read(2.5), read(60)], [2000, 2500, 60_000]))

  for (const lifetime of ['0', '1', '60.1', '3600']) {
    it(`${lifetime} is refused in words`, () => {
      assert.throws(() => read(lifetime), error => {
        assert.equal(startError(error, { data: '' }).message, `[cluster] lifetime is ${lifetime}, and must be 2 to 60 seconds`)
        return true
      })
    })
  }
})
