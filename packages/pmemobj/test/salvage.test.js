'use strict'

const assert = require('node:assert')
const fs = require('node:fs')
const path = require('node:path')
const { Pool, salvage } = require('..')
const { command } = require('./command')
const { contentsOf, someBytes } = require('./contents')
const { temporaryFolder } = require('./temporary-folder')

const SIZE = 16 * 2 ** 20
const COUNT = 2000

describe('salvage', function () {
  this.timeout(600_000)
  const folder = temporaryFolder()
  let location
  let contents

  before(() => {
    location = folder.next()
    const pool = Pool.open(location, { size: SIZE, maxSize: 0 })
    const value = i => Buffer.concat([Buffer.from(`value ${i} `), someBytes(200)])
    pool.map('notes').batch(Array.from({ length: COUNT }, (_, i) => ['put', `key ${1e5 + i}`, value(i)]).flat())
    pool.map('counts').put('visits', 'many')
    pool.root = { account: { money: 3 }, bytes: new Uint8Array([1, 2, 3]).buffer }
    contents = contentsOf(pool)
    pool.close()
  })

  /** A copy of the file whose bytes were changed. */
  function damaged (change) {
    const copy = folder.next()
    const bytes = fs.readFileSync(location)
    change(bytes)
    fs.writeFileSync(copy, bytes)
    return copy
  }

  function contentsAt (path) {
    const pool = Pool.open(path, { createIfMissing: false })
    const found = contentsOf(pool)
    const money = pool.root?.account?.money
    pool.close()
    return { found, money }
  }

  it('makes a pool like the one that is whole, objects too', async () => {
    const to = folder.next()
    const report = await salvage(location, to)
    assert.strictEqual(report.lost, false)
    assert.deepStrictEqual(contentsAt(to), { found: contents, money: 3 })
    assert.deepStrictEqual(report.maps.filter(({ name }) => !name.startsWith('\0')).map(({ name, entries }) => [name, entries]), [['counts', 1], ['notes', COUNT]])
  })

  it('brings all but what is damaged, and says which keys those are', async () => {
    const copy = damaged(bytes => { bytes[bytes.indexOf('value 7 ') + 50] ^= 1 })
    const to = folder.next()
    const report = await salvage(copy, to)
    assert.strictEqual(report.lost, true)
    const { losses } = report.maps.find(({ name }) => name === 'notes')
    assert.deepStrictEqual(losses.map(({ kind, from, to }) => [kind, from.toString(), to]), [['value', 'key 100007', undefined]])
    const { found } = contentsAt(to)
    const lost = Buffer.from('key 100007').toString('hex')
    assert.deepStrictEqual(found, { ...contents, notes: contents.notes.filter(([key]) => key !== lost) })
  })

  it('brings all out of a file without its first megabytes', async () => {
    const copy = damaged(bytes => bytes.fill(0, 0, 3 * 2 ** 20))
    assert.throws(() => Pool.open(copy), { code: 'PMEMOBJ_NOT_A_POOL' })
    const to = folder.next()
    await salvage(copy, to)
    assert.deepStrictEqual(contentsAt(to).found, contents)
  })

  it('refuses what is no pool, what is in use, and a place where something is, and leaves nothing', async () => {
    const file = folder.next()
    fs.writeFileSync(file, 'a letter\n'.repeat(1000))
    const to = folder.next()
    await assert.rejects(salvage(file, to), { code: 'PMEMOBJ_NOT_A_POOL' })
    await assert.rejects(salvage(folder.next(), to), { code: 'PMEMOBJ_NOT_FOUND' })
    await assert.rejects(salvage(location, file), { code: 'PMEMOBJ_EXISTS' })
    const pool = Pool.open(location)
    await assert.rejects(salvage(location, to), { code: 'PMEMOBJ_IN_USE', message: `${location}: another process has the pool open` })
    pool.close()
    assert.strictEqual(fs.existsSync(to) || fs.readdirSync(path.dirname(to)).some(name => name.endsWith('.restoring')), false)
  })

  describe('by command', () => {
    it('prints a table, and exits with 0 where nothing is lost', async () => {
      const { code, stdout } = await command(['salvage', location, '--to', folder.next()])
      assert.strictEqual(code, 0)
      assert.match(stdout, /Nothing is lost\.\n/)
      assert.match(stdout, /^"notes" +2000 +\d+ +0 +0$/m)
    })

    it('exits with 1 where something is lost, and lists it', async () => {
      const copy = damaged(bytes => { bytes[bytes.indexOf('value 7 ') + 50] ^= 1 })
      const { code, stdout } = await command(['salvage', copy, '--to', folder.next()])
      assert.strictEqual(code, 1)
      assert.match(stdout, /"notes": the value of "key 100007" is damaged/)
    })

    it('prints JSON, with keys in hexadecimal', async () => {
      const copy = damaged(bytes => { bytes[bytes.indexOf('value 7 ') + 50] ^= 1 })
      const { stdout } = await command(['salvage', '--json', copy, '--to', folder.next()])
      const { losses } = JSON.parse(stdout).maps.find(({ name }) => name === 'notes')
      assert.strictEqual(losses[0].from, Buffer.from('key 100007').toString('hex'))
    })

    it('exits with 2 where it cannot be done', async () => {
      const { code, stderr } = await command(['salvage', folder.next(), '--to', folder.next()])
      assert.strictEqual(code, 2)
      assert.match(stderr, /^pmemobj: /)
    })
  })
})
