'use strict'

const assert = require('node:assert/strict')
const { Engine } = require('../lib/sandbox/engine')
const { Program } = require('../lib/sandbox/program')

describe('the time that a function has', () => {
  const { now } = Date
  const nowhere = new Uint8Array(0)
  afterEach(() => { Date.now = now })

  /** Asks a filter about a document. */
  async function filter (source, timeout) {
    const program = new Program(await Engine.open(), { memory: 32 * 1024 * 1024 })
    program.run('load', JSON.stringify({ sources: [source], library: {} }), 60_000, nowhere)
    return program.run('filter', '{"docs":[{}],"req":{}}', timeout, nowhere)
  }

  it('is not up because somebody sets the clock', async () => {
    let asked = 0
    Date.now = () => now() + 3_600_000 * asked++
    const { text, broken } = await filter('function () { for (var i = 0, n = 0; i < 300000; i++) n += i; return n > 0 }', 60_000)
    assert.deepEqual([text, broken], ['\n+[true]', undefined])
  })

  it('ends a function that has no end', async () => {
    assert.equal((await filter('function () { for (;;); }', 50)).broken, 'time')
  })
})
