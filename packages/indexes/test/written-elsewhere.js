'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs/promises')
const os = require('node:os')
const path = require('node:path')
const { DatabaseReaders, Databases } = require('@potoroo/document-store')
const { MemoryLevel } = require('memory-level')
const { PmemLevel } = require('pmem-level')

const levels = {
  memory: () => new MemoryLevel(),
  pmem: folder => new PmemLevel(path.join(folder, 'pool'), { size: 64 * 1024 * 1024, allowVolatile: true })
}

/** The level as another thread has it, which counts the snapshots that it has open. */
function handleOf (level) {
  const opened = new Set()
  const snapshot = () => {
    const taken = level.snapshot()
    const { close } = taken
    opened.add(taken)
    taken.close = () => {
      opened.delete(taken)
      return close.call(taken)
    }
    return taken
  }
  const handle = new Proxy(level, {
    get (target, name) {
      if (name === 'snapshot') return snapshot
      return typeof target[name] === 'function' ? target[name].bind(target) : target[name]
    }
  })
  return { handle, opened }
}

/**
 * Makes a database: `store` as the thread has it that writes, `reader` as another has it, whose snapshots are `opened`.
 *
 * @param {string} kind of `levels`
 * @param {{ partitioned?: boolean, access?: boolean }} [options]
 */
async function openElsewhere (kind, options) {
  const folder = await fs.mkdtemp(path.join(await fs.access('/dev/shm').then(() => '/dev/shm', () => os.tmpdir()), 'written-elsewhere-'))
  const level = levels[kind](folder)
  await level.open()
  const databases = await Databases.open(level)
  const store = await databases.create('db', options)
  const { handle, opened } = handleOf(level)
  const close = async () => {
    assert.equal(opened.size, 0)
    await databases.close()
    await level.close()
    await fs.rm(folder, { recursive: true, force: true })
  }
  return { store, reader: new DatabaseReaders(handle).get('db'), opened, close }
}

module.exports = { levels, openElsewhere }
