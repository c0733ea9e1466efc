'use strict'

const assert = require('node:assert')
const { Pool } = require('..')
const { Checksum, encodeHeader, newFrame, seal, FRAME_HEADER_SIZE, MAP } = require('../lib/backup/format')
const binding = require('../lib/binding')
const { gather } = require('./contents')
const { temporaryFolder } = require('./temporary-folder')

const HIDDEN = '\0hidden'
const UNDO = '\0undo'

describe('the maps of the pool itself', () => {
  const folder = temporaryFolder()
  const handleOf = pool => Pool.handleOf(pool)

  function put (pool, name, key, value) {
    binding.put(handleOf(pool), binding.openMap(handleOf(pool), name), key, value)
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
      put(pool, UNDO, 'key', 'not carried')
      const location = folder.next()
      const summary = await Pool[read](location, [await gather(pool[write]())])
      assert.deepStrictEqual([summary.maps, summary.entries], [2, 2])
      pool.close()
      const copy = Pool.open(location)
      assert.deepStrictEqual(binding.listMaps(handleOf(copy)), [HIDDEN, 'a'])
      assert.strictEqual(get(copy, HIDDEN, 'key'), 'hidden')
      assert.strictEqual(copy.map('a').get('key'), 'seen')
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
