'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { ClassicLevel } = require('classic-level')
const binding = require('classic-level/binding')
const { DurableClassicLevel } = require('..')

describe('a write of LevelDB that failed', () => {
  const { batch_do: write, db_close: close } = binding
  let level

  beforeEach(async () => {
    level = new DurableClassicLevel(path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-failed-')), 'level'))
    await level.open()
  })

  afterEach(async () => {
    Object.assign(binding, { batch_do: write, db_close: close })
    await level.close()
    fs.rmSync(path.dirname(level.location), { recursive: true })
  })

  /** The next write is in the log, but was not made durable: LevelDB finds it when it opens. */
  const failNextWrite = () => {
    let lost
    binding.batch_do = async (context, operations) => {
      binding.batch_do = write
      lost = operations
      throw Object.assign(new Error('IO error: /secret/000003.log: Input/output error'), { code: 'LEVEL_IO_ERROR' })
    }
    binding.db_close = async context => {
      binding.db_close = close
      await close(context)
      const other = new ClassicLevel(level.location, { keyEncoding: 'buffer', valueEncoding: 'buffer' })
      await other.batch(lost.map(({ type, key, value }) => ({ type, key: Buffer.from(key), value: value && Buffer.from(value) })))
      await other.close()
    }
  }

  it('is taken back, whatever LevelDB finds of it later', async () => {
    await level.batch([{ type: 'put', key: 'a', value: '1' }, { type: 'put', key: 'b', value: '2' }, { type: 'put', key: 'ä', value: 'ö' }])
    failNextWrite()
    const failed = [
      { type: 'put', key: 'a', value: 'wrong' }, { type: 'del', key: 'b' }, { type: 'put', key: 'c', value: 'wrong' },
      { type: 'put', key: Buffer.from('ä'), value: Buffer.from('wrong'), keyEncoding: 'buffer', valueEncoding: 'buffer' }
    ]
    await assert.rejects(level.batch(failed), { code: 'LEVEL_IO_ERROR' })
    assert.equal(await level.get('a'), '1')
    await level.put('d', '4')
    assert.deepEqual(await level.iterator().all(), [['a', '1'], ['b', '2'], ['d', '4'], ['ä', 'ö']])
    await level.close()
    await level.open()
    assert.deepEqual(await level.iterator().all(), [['a', '1'], ['b', '2'], ['d', '4'], ['ä', 'ö']])
  })

  it('fails for all that shared it', async () => {
    const first = level.put('a', '1')
    failNextWrite()
    const results = await Promise.allSettled([first, level.put('b', '2'), level.put('c', '3')])
    assert.deepEqual(results.map(({ reason }) => reason?.code), [undefined, 'LEVEL_IO_ERROR', 'LEVEL_IO_ERROR'])
    await level.put('d', '4')
    assert.deepEqual(await level.keys().all(), ['a', 'd'])
  })
})
