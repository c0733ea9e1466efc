'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const assert = require('node:assert')
const fc = require('fast-check')
const { describe: words } = require('./graph')
const { programs, run } = require('./steps')
const { ModelWorld, PoolWorld } = require('./worlds')

// PROGRAMS says how many there are of each sort, PROGRAM_SEED with which seed they begin.
const RUNS = Number(process.env.PROGRAMS ?? 80)
const SEED = process.env.PROGRAM_SEED === undefined ? {} : { seed: Number(process.env.PROGRAM_SEED) }
const types = require('./types')

function outcomeOf (world, step) {
  try {
    return words([run(world, step)])
  } catch (error) {
    return error.code ?? error.name
  }
}

describe('a pool that programs run on', () => {
  let folder
  let count = 0
  let pool
  before(() => { folder = fs.mkdtempSync(path.join(os.tmpdir(), 'equivalence-')) })
  after(() => {
    pool?.close()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  /** Each step gives and leaves the same in the pool as in its model. */
  function compare (program) {
    pool ??= new PoolWorld(path.join(folder, String(count++)), { size: 16 * 2 ** 20, maxSize: 0 })
    const model = new ModelWorld()
    let same = false
    try {
      for (const step of [...program, { type: 'reopen' }]) {
        const expected = outcomeOf(model, step)
        assert.strictEqual(outcomeOf(pool, step), expected, fc.stringify(step))
        assert.strictEqual(pool.describe({ held: true }), model.describe({ held: true }), fc.stringify(step))
      }
      pool.clear()
      same = true
    } finally {
      if (!same) leave()
    }
  }

  /** Ends the pool: the next program gets nothing that a failed one has left. */
  function leave () {
    pool.close()
    pool = undefined
  }

  for (const [name, some] of [['maps', []], ['objects and arrays', ['Object']], ['all types', types]]) {
    it(`holds what plain JavaScript does: ${name}`, () => {
      fc.assert(fc.property(programs({ types: some }), compare), { numRuns: RUNS, ...SEED })
    }).timeout(600_000 + RUNS * 100)
  }
})
