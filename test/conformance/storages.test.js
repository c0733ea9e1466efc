'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const conformance = require('.')

// Before the addon is loaded: pools in tmpfs stand for persistent memory.
process.env.PMEM_IS_PMEM_FORCE ??= '1'

const { ClassicLevel } = require('classic-level')
const { MemoryLevel } = require('memory-level')
const { PmemLevel } = require('pmem-level')
const { PostgresLevel } = require('postgres-level')
const { PostgresServer } = require('../support/postgres-server')

function inFolder (parent, open) {
  return async () => {
    const folder = fs.mkdtempSync(path.join(parent, 'conformance-'))
    let level = open(path.join(folder, 'level'))
    await level.open()
    return {
      level,
      async reopen () {
        await level.close()
        level = open(path.join(folder, 'level'))
        await level.open()
        return level
      },
      async remove () {
        await level.close()
        fs.rmSync(folder, { recursive: true, force: true })
      }
    }
  }
}

conformance('memory-level', async () => {
  const level = new MemoryLevel()
  await level.open()
  return { level, remove: () => level.close() }
})

conformance('classic-level', inFolder(os.tmpdir(), (location) => new ClassicLevel(location)))

conformance('pmem-level', inFolder(fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir(), (location) => new PmemLevel(location)))

describe('on a PostgreSQL', () => {
  let server
  let count = 0

  before(async () => {
    server = await PostgresServer.start()
  })

  after(() => server.stop())

  conformance('postgres-level', async () => {
    const options = { prefix: `c${count++}` }
    let level = new PostgresLevel(server.url, options)
    await level.open()
    return {
      level,
      async reopen () {
        await level.close()
        level = new PostgresLevel(server.url, options)
        await level.open()
        return level
      },
      remove: () => level.close()
    }
  })
})
