'use strict'

const assert = require('node:assert')
const { types, inspect } = require('node:util')
const { temporaryPools } = require('./temporary-pools')
const { runWorker } = require('../worker')

const NOON = Date.UTC(2024, 1, 29, 12)

describe('Dates in a pool', () => {
  const pools = temporaryPools()
  let pool
  beforeEach(() => { pool = pools.create() })

  function reopen () {
    pool = pools.reopen(pool)
  }

  it('are Dates', () => {
    pool.root = new Date(NOON)
    const date = pool.root
    assert.ok(date instanceof Date && types.isDate(date))
    assert.strictEqual(date.constructor, Date)
    assert.strictEqual(Object.prototype.toString.call(date), '[object Date]')
    assert.strictEqual(date.getTime(), NOON)
    assert.strictEqual(date - new Date(NOON - 1), 1)
    assert.strictEqual(`${date}`, `${new Date(NOON)}`)
    assert.strictEqual(JSON.stringify({ date }), '{"date":"2024-02-29T12:00:00.000Z"}')
    assert.strictEqual(inspect(date), '2024-02-29T12:00:00.000Z')
    assert.strictEqual(structuredClone(date).getTime(), NOON)
    assert.strictEqual(new Intl.DateTimeFormat('en', { timeZone: 'UTC' }).format(date), '2/29/2024')
    assert.deepEqual(date, new Date(NOON))
    assert.strictEqual(pool.root, date)
  })

  it('write what their setters do', () => {
    pool.root = { at: new Date(NOON) }
    const plain = new Date(NOON)
    assert.strictEqual(pool.root.at.setUTCFullYear(2025, 4), plain.setUTCFullYear(2025, 4))
    assert.strictEqual(pool.root.at.setMinutes(5), plain.setMinutes(5))
    reopen()
    assert.strictEqual(pool.root.at.getTime(), plain.getTime())
  })

  it('may be invalid, and as far away as Dates go', () => {
    pool.root = [new Date(NaN), new Date(8.64e15), new Date(-8.64e15), new Date(NOON)]
    pool.root[3].setTime(NaN)
    reopen()
    assert.deepStrictEqual(pool.root.map(date => date.getTime()), [NaN, 8.64e15, -8.64e15, NaN])
    assert.throws(() => pool.root[0].toISOString(), RangeError)
    pool.root[0].setTime(1)
    assert.strictEqual(pool.root[0].getTime(), 1)
  })

  it('are one where they are shared', () => {
    const date = new Date(NOON)
    pool.root = { a: date, b: date }
    pool.root.a.setTime(1)
    assert.strictEqual(pool.root.b.getTime(), 1)
    assert.strictEqual(date.getTime(), NOON)
  })

  it('have their time back when a transaction throws, or a part of one', () => {
    pool.root = new Date(NOON)
    const date = pool.root
    assert.throws(() => pool.transaction(() => {
      date.setTime(1)
      assert.strictEqual(date.getTime(), 1)
      throw new Error('no')
    }), /no/)
    assert.strictEqual(date.getTime(), NOON)
    pool.transaction(() => {
      date.setTime(2)
      try {
        pool.transaction(() => { date.setTime(3); throw new Error('no') })
      } catch {}
      assert.strictEqual(date.getTime(), 2)
    })
    reopen()
    assert.strictEqual(pool.root.getTime(), 2)
  })

  it('stay as they are when what they are set to throws', () => {
    pool.root = new Date(NOON)
    assert.throws(() => pool.root.setTime({ valueOf () { throw new Error('no') } }), /no/)
    assert.strictEqual(pool.root.getTime(), NOON)
  })

  it('are Dates of their own before they are attached, and in plain copies', () => {
    const date = pool.create(new Date(NOON))
    date.setTime(5)
    pool.root = { date }
    assert.strictEqual(pool.root.date, date)
    const copy = pool.plain(pool.root).date
    assert.strictEqual(Object.getPrototypeOf(copy), Date.prototype)
    assert.strictEqual(copy.setTime(6), 6)
    assert.strictEqual(date.getTime(), 5)
  })

  it('are refused with properties, or of a class of their own', () => {
    class Day extends Date {}
    assert.throws(() => { pool.root = new Day() }, { name: 'TypeError', message: /class that extends Date/ })
    assert.throws(() => { pool.root = Object.assign(new Date(), { zone: 1 }) }, { name: 'TypeError', message: /properties/ })
    pool.root = new Date()
    assert.throws(() => { pool.root.zone = 1 }, TypeError)
  })

  it('of another pool are copied', () => {
    const other = pools.create()
    other.root = new Date(NOON)
    pool.root = other.root
    other.root.setTime(1)
    other.close()
    assert.strictEqual(pool.root.getTime(), NOON)
  })

  it('throw when the pool is closed', () => {
    pool.root = new Date(NOON)
    const date = pool.root
    reopen()
    assert.throws(() => date.getTime(), { code: 'PMEMOBJ_CLOSED' })
    assert.throws(() => date.setTime(1), { code: 'PMEMOBJ_CLOSED' })
  })

  it('are the latest in threads that read, and cannot be set there', async () => {
    pool.root = new Date(1)
    const turns = new Int32Array(new SharedArrayBuffer(4))
    const ended = runWorker(`
      const pool = Pool.open(location)
      const date = pool.root
      const seen = [date.getTime()]
      try { date.setTime(9) } catch (error) { seen.push(error.code) }
      Atomics.store(data, 0, 1)
      Atomics.notify(data, 0)
      Atomics.wait(data, 0, 1)
      pool.refresh()
      seen.push(date.getTime(), new Date(date).getTime())
      pool.close()
      if (seen.join() !== '1,PMEMOBJ_READ_ONLY,2,2') throw new Error(seen.join())`, pool.path, turns)
    await Atomics.waitAsync(turns, 0, 0).value
    pool.root.setTime(2)
    Atomics.store(turns, 0, 2)
    Atomics.notify(turns, 0)
    assert.strictEqual(await ended, 0)
  })
})
