'use strict'

const assert = require('node:assert')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { setImmediate: turn } = require('node:timers/promises')
const v8 = require('node:v8')
const vm = require('node:vm')
const fc = require('fast-check')
const { HeapWorld } = require('./heap-world')
const { recordsFor, recordsIn } = require('./records')
const { programs, run } = require('./steps')
const allTypes = require('./types')
const { ModelWorld } = require('./worlds')

// GARBAGE_PROGRAMS says how many there are, PROGRAM_SEED with which seed they begin.
const RUNS = Number(process.env.GARBAGE_PROGRAMS ?? 15)
const SEED = process.env.PROGRAM_SEED === undefined ? {} : { seed: Number(process.env.PROGRAM_SEED) }

// Transactions over ordered maps are those of the pool's own heap.
const types = allTypes.filter(type => type !== 'maps')

v8.setFlagsFromString('--expose-gc')
/** @type {(options?: object) => void} */
const collectGarbage = vm.runInNewContext('gc')

function errorOf (world, step) {
  try {
    run(world, step)
    return 'none'
  } catch (error) {
    return error.name
  }
}

/** Does the step in both; those that throw do in both. */
function step (world, model, step) {
  assert.strictEqual(errorOf(world, step), errorOf(model, step), fc.stringify(step))
}

describe('a collection', () => {
  let folder
  let count = 0
  before(() => { folder = fs.mkdtempSync(path.join(os.tmpdir(), 'garbage-')) })
  after(() => fs.rmSync(folder, { recursive: true, force: true }))

  /** Lets go of what the turn has touched, and of all that nobody holds. */
  async function letGo () {
    await turn()
    collectGarbage()
  }

  /** Does what comes between two steps of the program: `[]` nothing, `[n]` n steps of a collection. */
  async function between (world, [steps, forget]) {
    if (forget) await letGo()
    if (steps > 0) world.collectSome(steps)
  }

  async function collectBetween (program, breaks) {
    const location = path.join(folder, String(count++))
    const [world, model] = [new HeapWorld(location, { size: 8 * 2 ** 20, maxSize: 0 }), new ModelWorld()]
    try {
      for (const [index, one] of program.entries()) {
        step(world, model, one)
        await between(world, breaks[index % breaks.length])
        assert.strictEqual(world.describe({ held: true }), model.describe({ held: true }), fc.stringify(one))
      }
      world.reopen()
      world.collect()
      assert.deepStrictEqual(recordsIn(world.pool), recordsFor(model.root))
      assert.strictEqual(world.describe(), model.describe())
    } finally {
      world.close()
      fs.rmSync(location, { force: true })
    }
  }

  it('in steps between those of a program loses nothing, and a whole one leaves nothing else', async () => {
    const breaks = fc.array(fc.tuple(fc.nat(4), fc.boolean()), { minLength: 1, maxLength: 10 })
    await fc.assert(fc.asyncProperty(fc.noBias(programs({ types, steps: 40 })), breaks, collectBetween), { numRuns: RUNS, ...SEED })
  }).timeout(600_000 + 1000 * RUNS)
})
