'use strict'

const assert = require('node:assert')
const fc = require('fast-check')
const { assertAlike } = require('./alike')
const { temporaryPools } = require('./temporary-pools')
const { differences, lost } = require('./differential/differences')
const { classes, groups: objects } = require('./differential/objects')

const groups = {
  ...objects,
  ...require('./differential/arrays'),
  ...require('./differential/collections'),
  ...require('./differential/dates-and-bytes')
}

// PROGRAMS says how many there are for each kind of value.
const RUNS = Number(process.env.PROGRAMS ?? 20)

/** Gives the result of a call, or its error: only the name of that, for the words may differ. */
function outcomeOf (call, value) {
  try {
    const returned = call(value)
    return returned === value ? { returned: 'itself' } : { returned }
  } catch (error) {
    if (error === value) return { threw: 'itself' }
    if (error.code?.startsWith?.('PMEMOBJ_')) throw error
    return { threw: error.name }
  }
}

/** Does the call to both, and demands that it gives and leaves the same. */
function compare (call, plain, persistent) {
  const expected = outcomeOf(call, plain)
  const actual = outcomeOf(call, persistent)
  assertAlike(actual, expected, 'what it gives')
  assertAlike(persistent, plain, 'what it leaves')
}

function isAlike (call, plain, persistent) {
  try {
    compare(call, plain, persistent)
    return true
  } catch (error) {
    if (error.code !== 'ERR_ASSERTION') throw error
    return false
  }
}

/** Whether a call has a row of these, for this kind of value. */
function isIn (rows, group, name, call) {
  return rows.some(row => row.group === group && row.call === String(call) && (row.values === undefined || row.values.includes(name)))
}

describe('beside plain JavaScript', () => {
  const pools = temporaryPools()
  let pool

  /** The pool's value of a plain one. */
  function keep (value) {
    pool.root = { value }
    return pool.root.value
  }

  beforeEach(() => {
    pool = pools.create()
    for (const each of classes) pool.register(each)
  })

  for (const [group, { values, calls }] of Object.entries(groups)) {
    for (const [name, make] of Object.entries(values)) {
      const isKnown = call => isIn(differences, group, name, call)
      // Whether a call differs may depend on what was done before.
      const usual = calls.filter(call => !differences.some(row => row.group === group && row.call === String(call)))

      it(`${group}, ${name}: ${calls.length} calls give and leave the same`, () => {
        for (const call of calls) {
          const plain = make()
          const persistent = keep(make())
          if (isKnown(call)) assert.ok(!isAlike(call, plain, persistent), `${call} does not differ`)
          else assert.doesNotThrow(() => compare(call, plain, persistent), String(call))
        }
      })

      it(`${group}, ${name}: what calls leave is there when the pool is opened again`, () => {
        const left = usual.map(call => {
          const plain = make()
          outcomeOf(call, plain)
          return plain
        })
        pool.root = usual.map(() => make())
        usual.forEach((call, index) => outcomeOf(call, pool.root[index]))
        pool = pools.reopen(pool)
        for (const each of classes) pool.register(each)
        usual.forEach((call, index) => {
          const check = () => assertAlike(pool.root[index], left[index], String(call))
          if (isIn(lost, group, name, call)) assert.throws(check, { code: 'ERR_ASSERTION' })
          else check()
        })
      })

      it(`${group}, ${name}: random programs of these calls do the same`, () => {
        fc.assert(fc.property(fc.array(fc.nat(usual.length - 1), { maxLength: 12 }), fc.boolean(), (program, together) => {
          const plain = make()
          const persistent = keep(make())
          const run = () => program.forEach(index => compare(usual[index], plain, persistent))
          if (together) pool.transaction(run)
          else run()
          assertAlike(persistent, plain)
        }), { numRuns: RUNS })
      })
    }
  }

  it('nothing is listed as different that there is not', () => {
    for (const { group, call, values = [], reason } of [...differences, ...lost]) {
      assert.ok(groups[group].calls.some(each => String(each) === call), call)
      for (const name of values) assert.ok(name in groups[group].values, `${group} ${name}`)
      assert.ok(reason.length > 10)
    }
  })

  it('counts some thousand cases', () => {
    const cases = Object.values(groups).map(({ values, calls }) => Object.keys(values).length * calls.length)
    assert.ok(cases.reduce((sum, count) => sum + count) > 2000)
  })
})
