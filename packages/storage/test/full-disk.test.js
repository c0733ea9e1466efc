'use strict'

const assert = require('node:assert/strict')
const { randomBytes } = require('node:crypto')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { SmallDisk } = require('../../../test/support/small-disk')
const { DurableClassicLevel } = require('..')

const FULL = { code: 'LEVEL_NO_SPACE', message: 'The disk is full' }

describe('LevelDB on a full disk', function () {
  this.timeout(600_000)
  let disk, level

  before(function () {
    if (!SmallDisk.isAllowed()) this.skip()
  })

  beforeEach(async () => {
    disk = new SmallDisk(32)
    level = new DurableClassicLevel(path.join(disk.path, 'level'))
    await level.open()
  })

  afterEach(async () => {
    await level.close()
    disk.remove()
  })

  /** Puts until the disk is full. @returns {Promise<string[]>} the keys that were acknowledged */
  const fill = async () => {
    disk.fill(3 * 2 ** 20)
    const keys = []
    await assert.rejects(async () => {
      for (let i = 0; ; i++) {
        const key = `key ${String(i).padStart(6, '0')}`
        await level.put(key, randomBytes(2000).toString('base64'))
        keys.push(key)
      }
    }, FULL)
    return keys
  }

  const recovered = async () => {
    for (;;) {
      try {
        return await level.recover()
      } catch (error) {
        assert.equal(error.code, 'LEVEL_NO_SPACE')
        await sleep(100)
      }
    }
  }

  it('refuses writes, answers reads, and goes on where there is room', async () => {
    const keys = await fill()
    for (const write of [() => level.put('a', 'b'), () => level.del(keys[0]), () => level.batch([{ type: 'put', key: 'a', value: 'b' }]), () => level.clear()]) await assert.rejects(write, FULL)
    await assert.rejects(level.recover(), FULL)
    assert.deepEqual(await level.keys().all(), keys)
    disk.empty()
    await recovered()
    assert.deepEqual(await level.keys().all(), keys)
    await level.batch(Array.from({ length: 3000 }, (_, i) => ({ type: 'put', key: `new ${i}`, value: 'x'.repeat(1000) })))
    await level.close()
    level = new DurableClassicLevel(level.location)
    await level.open()
    assert.deepEqual((await level.keys({ lt: 'new' }).all()), keys)
    assert.equal((await level.keys({ gt: 'new' }).all()).length, 3000)
  })

  it('ends readers when it opens again, and serves those that ask meanwhile', async () => {
    const keys = await fill()
    const iterator = level.keys()
    const snapshot = level.snapshot()
    assert.equal(await iterator.next(), keys[0])
    disk.empty()
    const recovering = recovered()
    const [value, values] = await Promise.all([level.get(keys[0]), level.getMany(keys.slice(0, 2)), level.put('later', '1'), recovering])
    assert.equal(value, values[0])
    await assert.rejects(iterator.next(), { code: 'LEVEL_ITERATOR_NOT_OPEN' })
    await assert.rejects(level.get(keys[0], { snapshot }), { code: 'LEVEL_SNAPSHOT_NOT_OPEN' })
    await snapshot.close()
    assert.equal(await level.get('later'), '1')
  })

  it('closes while the disk is full', async () => {
    const keys = await fill()
    const waiting = assert.rejects(level.put('a', 'b'))
    await level.close()
    await waiting
    await assert.rejects(level.get(keys[0]), { code: 'LEVEL_DATABASE_NOT_OPEN' })
    disk.empty()
    await level.open()
    assert.deepEqual(await level.keys().all(), keys)
  })

  it('shares one write among those that arrive during another, in their order', async () => {
    const value = Buffer.from('first')
    const writes = [level.put('k', '0'), level.put('k', value, { valueEncoding: 'buffer' })]
    value.write('other')
    writes.push(level.del('x'), level.batch([{ type: 'put', key: 'x', value: '1' }, { type: 'put', key: 'y', value: '2' }]), level.del('y'))
    await Promise.all(writes)
    assert.deepEqual(await level.iterator().all(), [['k', 'first'], ['x', '1']])
  })
})
