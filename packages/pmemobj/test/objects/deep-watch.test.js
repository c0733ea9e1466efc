'use strict'

const assert = require('node:assert')
const { setImmediate: turn } = require('node:timers/promises')
const seedrandom = require('seedrandom')
const { temporaryPools } = require('./temporary-pools')

const PROGRAMS = Number(process.env.PROGRAMS ?? 15)
const STEPS = 120

describe('a deep watch', () => {
  const pools = temporaryPools()

  it(`tells of what is reached after each commit, and of nothing else (${PROGRAMS} programs)`, async () => {
    for (let i = 0; i < PROGRAMS; i++) {
      const seed = `${process.env.SEED ?? Date.now()}-${i}`
      try {
        await program(pools.create({ top: {}, shelf: [] }), seedrandom(seed))
      } catch (error) {
        error.message = `SEED=${seed}: ${error.message}`
        throw error
      }
    }
  })

  async function program (pool, random) {
    const { root } = pool
    const told = { each: new Set(), deep: new Set(), late: new Set() }
    const watch = (object, name, options) => pool.watch(object, ({ changes }) => { for (const { object } of changes) told[name].add(object) }, options)
    watch(root.top, 'deep', { deep: true })
    watch(root.top, 'each')
    const all = [root.top]
    for (let step = 0; step < STEPS; step++) {
      // All are in the pool, reached from its top or not.
      for (let n = pick(random, 3); n > 0; n--) {
        const made = [{}, [], new Map(), new Set()][pick(random, 4)]
        const object = root.shelf[root.shelf.push(made) - 1]
        all.push(object)
        watch(object, 'each')
      }
      if (step === STEPS / 2) watch(root.top, 'late', { deep: true })
      await turn()
      for (const each of Object.values(told)) each.clear()
      pool.transaction(() => {
        const [one, isOne] = [all[pick(random, all.length)], random() < 0.5]
        for (let n = pick(random, 4); n >= 0; n--) change(random, isOne ? one : all[pick(random, all.length)], all)
      })
      // Many references are dropped, so that what is not reached is forgotten.
      if (random() < 0.2) {
        root.top.many = Array.from({ length: 400 }, () => ({}))
        root.top.many.length = 0
      }
      await turn()
      if (random() < 0.2) for (let n = 0; n < 5; n++) await turn()
      const reached = reachedFrom(root.top)
      reached.add(root.top.many)
      const expected = [...told.each].filter(object => reached.has(object)).map(object => all.indexOf(object)).sort()
      for (const name of step < STEPS / 2 ? ['deep'] : ['deep', 'late']) {
        const found = [...told[name]].filter(object => object !== root.top.many).map(object => all.indexOf(object)).sort()
        assert.deepStrictEqual(found, expected, `${name}, step ${step}`)
      }
    }
    pool.close()
  }

  it('costs what has changed, and not all that is reached', async () => {
    const pool = pools.create({ list: Array.from({ length: 60_000 }, (_, i) => ({ i })), done: [] })
    const { root } = pool
    let notices = 0
    const start = performance.now()
    pool.watch(root, () => { notices++ }, { deep: true })
    const all = performance.now() - start
    await turn()
    const times = []
    for (let i = 0; i < 30; i++) {
      const start = performance.now()
      const job = root.list.pop()
      root.done.push(job)
      job.i = -1
      root.list.push({ i })
      times.push(performance.now() - start)
      await turn()
    }
    assert.strictEqual(notices, 120)
    times.sort((a, b) => a - b)
    assert.ok(times[15] < all / 10, `${times[15]} ms of ${all} ms`)
  })
})

function change (random, target, all) {
  const value = random() < 0.7 ? all[pick(random, all.length)] : [1, null, {}][pick(random, 3)]
  const [n, name] = [pick(random, 4), `p${pick(random, 5)}`]
  if (Array.isArray(target)) {
    const works = [
      () => target.push(value), () => target.unshift(value), () => target.pop(), () => target.shift(), () => target.splice(n, 2, value), () => target.reverse(),
      () => { if (n <= target.length) target[n] = value }, () => { target.length = Math.min(target.length, n) }, () => { target[0] = target[target.length - 1] },
      () => target.push(...all.slice(0, 70))
    ]
    works[pick(random, works.length)]()
  } else if (target instanceof Map) {
    const works = [() => target.set(name, value), () => target.set(value, name), () => target.delete(name), () => target.delete([...target.keys()][n]), () => target.clear()]
    works[pick(random, works.length)]()
  } else if (target instanceof Set) {
    [() => target.add(value), () => target.add(value), () => target.delete([...target][n]), () => target.clear()][pick(random, 4)]()
  } else {
    [() => { target[name] = value }, () => { target[name] = value }, () => { delete target[name] }, () => { target.other = target[name] }][pick(random, 4)]()
  }
}

/** The objects that one leads to, and itself. */
function reachedFrom (top) {
  const reached = new Set([top])
  for (const object of reached) {
    const inner = object instanceof Map ? [...object].flat() : object instanceof Set ? object : Object.values(object)
    for (const each of inner) if (typeof each === 'object' && each !== null) reached.add(each)
  }
  return reached
}

function pick (random, count) { return Math.floor(random() * count) }
