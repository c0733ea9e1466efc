'use strict'

const assert = require('node:assert')
const { Pool } = require('..')
const { Checksum, encodeHeader, newFrame, seal, FRAME_HEADER_SIZE, MAP } = require('../lib/backup/format')
const binding = require('../lib/binding/binding')
const { gather, someBytes } = require('./contents')
const { restoreMemory } = require('./objects/memory')
const { temporaryFolder } = require('./temporary-folder')

const BUFFERS = '\0buffers'
const HIDDEN = '\0hidden'
const UNDO = '\0undo'

describe('the maps of the pool itself', () => {
  const folder = temporaryFolder()
  after(restoreMemory)
  const handleOf = pool => Pool.handleOf(pool)

  function put (pool, name, key, value) {
    binding.put(handleOf(pool), binding.openMap(handleOf(pool), name), key, value)
  }

  /** Has a transaction over a buffer, in the map `b`. */
  function undo (pool) {
    const map = binding.openMap(handleOf(pool), 'b')
    binding.setOutbox(new ArrayBuffer(64))
    binding.createBuffer(handleOf(pool), map, 1, 8)
    binding.saveBuffer(handleOf(pool), binding.openBuffer(handleOf(pool), map, 1), 0, 8)
    binding.commit(handleOf(pool), 0, true)
  }

  function get (pool, name, key) {
    return binding.getString(handleOf(pool), binding.openMap(handleOf(pool), name), key)
  }

  it('are not shown, opened or dropped', () => {
    const pool = Pool.open(folder.next())
    pool.map('a')
    put(pool, HIDDEN, 'key', 'value')
    assert.deepStrictEqual(pool.maps(), ['a'])
    for (const name of [HIDDEN, '\0', UNDO]) {
      assert.throws(() => pool.map(name), { code: 'PMEMOBJ_INVALID' })
      assert.throws(() => pool.dropMap(name), { code: 'PMEMOBJ_INVALID' })
    }
    assert.strictEqual(pool.map('a\0b').name, 'a\0b')
    assert.strictEqual(get(pool, HIDDEN, 'key'), 'value')
    pool.close()
  })

  for (const [write, read] of [['backup', 'restore'], ['dump', 'load']]) {
    it(`are carried by ${write} and ${read}, but for what brings buffers back after a crash`, async () => {
      const pool = Pool.open(folder.next())
      pool.map('a').put('key', 'seen')
      put(pool, HIDDEN, 'key', 'hidden')
      undo(pool)
      const location = folder.next()
      const summary = await Pool[read](location, [await gather(pool[write]())])
      assert.deepStrictEqual([summary.maps, summary.entries], [3, 3])
      pool.close()
      const copy = Pool.open(location)
      assert.deepStrictEqual(binding.listMaps(handleOf(copy)), [HIDDEN, 'a', 'b'])
      assert.strictEqual(get(copy, HIDDEN, 'key'), 'hidden')
      assert.strictEqual(copy.map('a').get('key'), 'seen')
      copy.close()
    })
  }

  for (const [write, read] of [['backup', 'restore'], ['dump', 'load']]) {
    it(`are buffers again where they were, after ${write} and ${read}`, async () => {
      const outbox = Buffer.from(new ArrayBuffer(64))
      binding.setOutbox(outbox.buffer)
      const get = (pool, id) => binding.openBuffer(handleOf(pool), binding.openMap(handleOf(pool), BUFFERS), outbox.writeUIntBE(id, 0, 6))
      const pool = Pool.open(folder.next())
      const sizes = [0, 1, 64, 65, 16 * 1024, 300_000, 3 * 2 ** 20 + 1, ...Array(1000).fill(500)]
      for (const [id, size] of sizes.entries()) {
        const key = outbox.writeUIntBE(id, 0, 6)
        binding.createBuffer(handleOf(pool), binding.openMap(handleOf(pool), BUFFERS), key, size, someBytes(size, id + 1))
      }
      const location = folder.next()
      const summary = await Pool[read](location, [await gather(pool[write]())])
      assert.strictEqual(summary.entries, sizes.length)
      pool.close()
      const copy = Pool.open(location)
      for (const [id, size] of sizes.entries()) assert.ok(Buffer.from(get(copy, id)).equals(someBytes(size, id + 1)), `${id}`)
      assert.strictEqual(get(copy, sizes.length), undefined)
      copy.close()
    })
  }

  it('are refused by what fills a new pool where it may not have them', async () => {
    const checksum = new Checksum()
    const map = newFrame(MAP, UNDO.length)
    map.write(UNDO, FRAME_HEADER_SIZE)
    const backup = [encodeHeader(checksum, { created: 0, id: Buffer.alloc(16) }), seal(checksum, map)]
    await assert.rejects(Pool.restore(folder.next(), backup), { code: 'PMEMOBJ_BACKUP_DAMAGED', message: /another pool/ })
    const dump = 'VERSION=3\nformat=print\ndatabase=\\00undo\ntype=btree\nHEADER=END\n a\n b\nDATA=END\n'
    await assert.rejects(Pool.load(folder.next(), [Buffer.from(dump)]), { code: 'PMEMOBJ_BAD_DUMP', message: /itself/ })
  })
})
