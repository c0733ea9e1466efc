'use strict'

const assert = require('node:assert')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { PmemLevel } = require('..')

const MIB = 2 ** 20

describe('iterators and snapshots that are forgotten', function () {
  this.timeout(600_000)
  let folder

  before(() => { folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pmem-level-')) })

  after(() => fs.rmSync(folder, { recursive: true, force: true }))

  // Every round replaces 1 MiB while the last round's is pinned; there is room for some of them.
  const program = `
    const { PmemLevel } = require(${JSON.stringify(require.resolve('..'))})
    const turn = () => new Promise(resolve => setImmediate(resolve))
    async function main () {
      const db = new PmemLevel(process.argv[1], { size: ${24 * MIB}, maxSize: 0 })
      const sublevel = db.sublevel('sub').sublevel('deeper')
      await sublevel.open()
      const forget = {
        iterator: async () => { await db.iterator().next() },
        keys: async () => { await db.keys({ limit: 9 }).nextv(1) },
        sublevel: async () => { await sublevel.values().next() },
        snapshot: async () => { await db.get('a', { snapshot: db.snapshot() }) },
        'snapshot of a sublevel': async () => { sublevel.snapshot() }
      }
      for (const [what, use] of Object.entries(forget)) {
        for (let round = 0; round < 60; round++) {
          await db.put('big', Buffer.alloc(${MIB}, round), { valueEncoding: 'buffer' })
          await sublevel.put('a', 'b')
          await use()
          // Some turns: what a collection finds is let go of in a later one.
          if (round % 8 === 7) for (let i = 0; i < 3; i++) { gc(); await turn() }
        }
        console.log(what)
      }
      const kept = [db.iterator(), sublevel.iterator(), db.snapshot()]
      await db.close()
      for (const resource of kept.slice(0, 2)) await resource.next().then(() => console.log('not closed'), error => console.log(error.code))
    }
    main()`

  it('pin no room for ever, of sublevels either, and the others are closed with the database', async () => {
    const child = spawn(process.execPath, ['--expose-gc', '-e', program, path.join(folder, 'db')], { stdio: ['ignore', 'pipe', 'inherit'] })
    const exit = once(child, 'exit')
    let output = ''
    for await (const chunk of child.stdout) output += chunk
    assert.deepStrictEqual(await exit, [0, null])
    assert.deepStrictEqual(output.trim().split('\n'), [
      'iterator', 'keys', 'sublevel', 'snapshot', 'snapshot of a sublevel', 'LEVEL_ITERATOR_NOT_OPEN', 'LEVEL_ITERATOR_NOT_OPEN'
    ])
  })

  it('are not many more than there are', async () => {
    const db = new PmemLevel(path.join(folder, 'many'))
    await db.put('a', 'b')
    const kept = []
    for (let i = 0; i < 3000; i++) kept.push(db.iterator())
    for (const iterator of kept.splice(0, 2900)) await iterator.close()
    for (let i = 0; i < 3000; i++) await db.iterator().close()
    assert.strictEqual(db.stats().snapshots, 100)
    await db.close()
    for (const iterator of kept) await assert.rejects(iterator.next(), { code: 'LEVEL_ITERATOR_NOT_OPEN' })
  })
})
