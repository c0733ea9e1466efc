'use strict'

const assert = require('node:assert')
const { execFile } = require('node:child_process')
const path = require('node:path')
const { promisify } = require('node:util')
const { Pool } = require('..')
const binding = require('../lib/binding/binding')
const { temporaryFolder } = require('./temporary-folder')

const fuzz = path.join(__dirname, 'binding-fuzz.js')

/** Functions without parameters, which have nothing to refuse. */
const WITHOUT_PARAMETERS = new Set(['releaseMemory'])

describe('the functions of the addon', () => {
  const folder = temporaryFolder()

  it('throw a TypeError where there is no argument, and for a path that is none', () => {
    for (const [name, value] of Object.entries(binding)) {
      if (typeof value === 'function' && !WITHOUT_PARAMETERS.has(name)) assert.throws(() => value(), TypeError, name)
    }
    for (const path of [undefined, null, 1, Symbol('path'), {}, { toString () { throw new Error('mine') } }, 'a\0b']) {
      assert.throws(() => binding.check(path), TypeError)
      assert.throws(() => binding.open(path, true, false, false, 0, 0, 0, undefined), TypeError)
    }
  })

  it('refuse sizes that are negative', () => {
    for (const sizes of [[-1, 0, 0], [0, -1, 0], [0, 0, -(2 ** 53)]]) {
      assert.throws(() => binding.open(folder.next(), true, false, false, ...sizes, undefined), TypeError)
    }
  })

  it('refuse an array of operations that is longer than memory', () => {
    const pool = Pool.open(folder.next())
    assert.throws(() => binding.write(Pool.handleOf(pool), Object.assign([], { length: 2 ** 32 - 1 })), TypeError)
    pool.close()
  })

  it('take any arguments, from several threads, and throw nothing but errors', async function () {
    this.timeout(600_000)
    const seed = process.env.FUZZ_SEED ?? String(Math.random())
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [fuzz, folder.path, seed], { maxBuffer: 2 ** 24 })
      for (const [name, outcomes] of Object.entries(JSON.parse(stdout))) {
        assert.ok(WITHOUT_PARAMETERS.has(name) || outcomes.TypeError > 0 || outcomes.ERR_INVALID_ARG_TYPE > 0, `${name} takes everything: ${JSON.stringify(outcomes)}`)
      }
    } catch (error) {
      error.message += ` (with FUZZ_SEED=${seed}; ${error.signal ?? ''} ${error.stderr ?? ''})`
      throw error
    }
  })
})
