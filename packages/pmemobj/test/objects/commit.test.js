'use strict'

const assert = require('node:assert')
const binding = require('../../lib/binding/binding')
const { restoreMemory } = require('./memory')
const { temporaryFolder } = require('../temporary-folder')

const PUT = 1
const DELETE = 2
const DELETE_RANGE = 3
const HEADER = 12
const SIZE = 64 * 1024

describe('the outbox and the inbox', () => {
  const folder = temporaryFolder()
  const outbox = Buffer.from(new ArrayBuffer(SIZE))
  const inbox = Buffer.from(new ArrayBuffer(SIZE))
  let pool, map

  beforeEach(() => {
    binding.setOutbox(outbox.buffer)
    binding.setInbox(inbox.buffer)
    pool = binding.open(folder.next(), true, false, false, 0, 2 ** 30, 0, undefined)
    map = binding.openMap(pool, 'a')
  })

  afterEach(() => binding.close(pool))

  after(restoreMemory)

  /** Puts operations into the outbox: kind, key, value, each with its number of the map. */
  function fill (...operations) {
    let at = 0
    for (const [kind, key, value = '', number = map] of operations) {
      const [keyBytes, valueBytes] = [Buffer.from(key), Buffer.from(value)]
      outbox[at] = kind
      outbox[at + 1] = 0
      outbox.writeUInt16LE(keyBytes.length, at + 2)
      outbox.writeUInt32LE(number, at + 4)
      outbox.writeUInt32LE(valueBytes.length, at + 8)
      at += HEADER
      at += keyBytes.copy(outbox, at)
      at += valueBytes.copy(outbox, at)
    }
    return at
  }

  const commit = (...operations) => binding.commit(pool, fill(...operations))

  function read (key, snapshot) {
    const size = binding.read(pool, map, Buffer.from(key).copy(outbox), snapshot)
    return size === -1 ? undefined : inbox.toString('utf8', 0, size)
  }

  it('carry what is put, and what is read', () => {
    commit([PUT, 'key', 'value'], [PUT, 'empty', ''])
    assert.strictEqual(read('key'), 'value')
    assert.strictEqual(read('empty'), '')
    assert.strictEqual(read('other'), undefined)
    assert.strictEqual(binding.getString(pool, map, 'key'), 'value')
  })

  it('carry deletes, ranges and other maps, all in one commit', () => {
    const other = binding.openMap(pool, 'b')
    commit(...['a', 'b', 'c', 'd'].map(key => [PUT, key, key]))
    const before = binding.epoch(pool)
    commit([DELETE_RANGE, 'b', 'd'], [DELETE, 'a'], [PUT, 'e', '1'], [PUT, 'e', '2'], [PUT, 'x', 'y', other])
    assert.strictEqual(binding.epoch(pool), before + 1)
    assert.deepStrictEqual(['a', 'b', 'c', 'd', 'e'].map(key => read(key)), [undefined, undefined, undefined, 'd', '2'])
    assert.strictEqual(binding.getString(pool, other, 'x'), 'y')
    commit([DELETE_RANGE, 'c'])
    assert.strictEqual(read('d'), undefined)
  })

  it('give what a snapshot holds', () => {
    commit([PUT, 'key', 'old'])
    const snapshot = binding.takeSnapshot(pool)
    commit([PUT, 'key', 'new'])
    assert.strictEqual(read('key', snapshot), 'old')
    assert.strictEqual(read('key'), 'new')
    binding.closeSnapshot(snapshot)
    assert.throws(() => read('key', snapshot), { code: 'PMEMOBJ_CLOSED' })
  })

  it('give the size of a value for which the inbox is too small, and leave the inbox alone', () => {
    commit([PUT, 'key', 'v'.repeat(100)])
    const small = Buffer.from(new ArrayBuffer(99))
    binding.setInbox(small.buffer)
    const size = binding.read(pool, map, Buffer.from('key').copy(outbox))
    assert.strictEqual(size, 100)
    assert.ok(small.every(byte => byte === 0))
    binding.setInbox(new ArrayBuffer(0))
    assert.strictEqual(binding.read(pool, map, 3), 100)
  })

  it('take a batch that is too big for the log', () => {
    const big = Buffer.from(new ArrayBuffer(4 * 2 ** 20))
    binding.setOutbox(big.buffer)
    const size = big.length - HEADER - 3
    big[0] = PUT
    big.writeUInt16LE(3, 2)
    big.writeUInt32LE(map, 4)
    big.writeUInt32LE(size, 8)
    big.write('key', HEADER)
    big.fill('v', HEADER + 3)
    binding.commit(pool, big.length)
    assert.strictEqual(binding.getString(pool, map, 'key'), 'v'.repeat(size))
  })

  it('refuse every length that does not fit, and change nothing', () => {
    const length = fill([PUT, 'key', 'value'], [PUT, 'more', 'value'])
    const before = binding.epoch(pool)
    for (let cut = 1; cut < length; cut++) {
      if (cut === HEADER + 8) continue
      assert.throws(() => binding.commit(pool, cut), { code: 'PMEMOBJ_INVALID' })
    }
    for (const bad of [SIZE + 1, 2 ** 31, -1]) {
      assert.throws(() => binding.commit(pool, bad), { code: 'PMEMOBJ_INVALID' })
      assert.throws(() => binding.read(pool, map, bad), { code: 'PMEMOBJ_INVALID' })
    }
    for (const bad of [undefined, '1', {}]) assert.throws(() => binding.commit(pool, bad), TypeError)
    assert.strictEqual(binding.epoch(pool), before)
  })

  it('refuse kinds, sizes and maps that there are not', () => {
    for (const kind of [0, 4, 255]) assert.throws(() => commit([kind, 'key', 'value']), { code: 'PMEMOBJ_INVALID' })
    const length = fill([PUT, 'key', 'value'])
    outbox.writeUInt32LE(2 ** 32 - 1, 8)
    assert.throws(() => binding.commit(pool, length), { code: 'PMEMOBJ_INVALID' })
    outbox.writeUInt32LE(5, 8)
    outbox.writeUInt16LE(2 ** 16 - 1, 2)
    assert.throws(() => binding.commit(pool, length), { code: 'PMEMOBJ_INVALID' })
    assert.throws(() => commit([PUT, 'k'.repeat(2 ** 15 + 1), 'value']), { code: 'PMEMOBJ_INVALID' })
    assert.throws(() => commit([PUT, 'key', 'value', 77]), { code: /PMEMOBJ_/ })
    assert.strictEqual(read('key'), undefined)
  })

  it('refuse to be anything else than an ArrayBuffer', () => {
    for (const bad of [undefined, {}, new Uint8Array(8)]) {
      assert.throws(() => binding.setOutbox(bad), TypeError)
      assert.throws(() => binding.setInbox(bad), TypeError)
    }
    commit([PUT, 'key', 'value'])
    assert.strictEqual(read('key'), 'value')
  })

  it('are of no use with a pool that is closed', () => {
    const length = fill([PUT, 'key', 'value'])
    binding.close(pool)
    assert.throws(() => binding.commit(pool, length), { code: 'PMEMOBJ_CLOSED' })
    assert.throws(() => binding.read(pool, map, 3), { code: 'PMEMOBJ_CLOSED' })
    assert.throws(() => binding.epoch(pool), { code: 'PMEMOBJ_CLOSED' })
    assert.throws(() => binding.claimObjects(pool), { code: 'PMEMOBJ_CLOSED' })
  })
})
