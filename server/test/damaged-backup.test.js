'use strict'

const assert = require('node:assert')
const { MemoryLevel } = require('memory-level')
const { readBackup } = require('../lib/backup/read')
const { writeBackup } = require('../lib/backup/write')

describe('a backup of what is damaged', () => {
  it('says so in place of its end, and is not read as one', async () => {
    const level = new MemoryLevel()
    await level.batch(Array.from({ length: 250 }, (_, i) => ({ type: 'put', key: `k${1000 + i}`, value: 'x'.repeat(5000) })))
    const { iterator } = level
    Object.assign(level, {
      iterator (options) {
        const pages = iterator.call(level, options)
        const nextv = pages.nextv.bind(pages)
        let count = 0
        pages.nextv = async size => {
          if (count++ === 2) throw Object.assign(new Error('damaged'), { code: 'LEVEL_CORRUPTION' })
          return nextv(size)
        }
        return pages
      }
    })
    let entries = 0
    await assert.rejects(async () => {
      for await (const read of readBackup(writeBackup(level, { version: '1' }))) entries += read.entries?.length ?? 0
    }, { code: 'BACKUP_DAMAGED', message: /^the backup is not whole: .*potoroo salvage/ })
    assert.ok(entries > 0)
    await level.close()
  })
})
