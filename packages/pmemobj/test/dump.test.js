'use strict'

const assert = require('node:assert')
const { execFileSync, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const fc = require('fast-check')
const { Pool } = require('..')
const { contentsOf, fill, gather, someBytes } = require('./contents')
const { temporaryFolder } = require('./temporary-folder')

const FORMATS = /** @type {const} */ (['bytevalue', 'print'])
const HEADER = 'VERSION=3\nformat=print\ndatabase=m\ntype=btree\nHEADER=END\n'

const has = (program, option) => spawnSync(program, [option]).status === 0
const bytes = maxLength => fc.uint8Array({ maxLength }).map(array => Buffer.from(array))
// Bytes of every kind, and those that mean something in a dump.
const text = fc.oneof(bytes(40), fc.string({ unit: fc.constantFrom('\\', '\n', ' ', '0', 'a', 'é', '\0'), maxLength: 12 }).map(string => Buffer.from(string)))
const name = fc.oneof(fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }), fc.constantFrom('\\', '\\41', 'a\nb', ' ', '=', '\u0080'))
  .filter(string => string.isWellFormed())

describe('a dump', function () {
  this.timeout(600_000)
  const folder = temporaryFolder()

  /** Loads a dump, and gives what is in the new pool. */
  async function loaded (source, options) {
    const location = folder.next()
    await Pool.load(location, source, options)
    const pool = Pool.open(location, { createIfMissing: false })
    const contents = contentsOf(pool)
    pool.close()
    Pool.destroy(location)
    return contents
  }

  function poolOf (maps) {
    const pool = Pool.open(folder.next())
    for (const [name, entries] of maps) pool.map(name).batch(entries.flatMap(entry => ['put', ...entry]))
    return pool
  }

  /** Its lines of data: one string a map. */
  const data = dump => [...dump.toString('latin1').matchAll(/HEADER=END\n([\s\S]*?)DATA=END\n/g)].map(([, lines]) => lines)

  it('is the text that its description says', async () => {
    const pool = poolOf([['b\\c\n', [['k', 'a\\b'], ['é', '']]], ['a', []]])
    const header = (format, name) => `VERSION=3\nformat=${format}\ndatabase=${name}\ntype=btree\nHEADER=END\n`
    assert.strictEqual(String(await gather(pool.dump())),
      `${header('bytevalue', 'a')}DATA=END\n${header('bytevalue', 'b\\5cc\\0a')} 6b\n 615c62\n c3a9\n \nDATA=END\n`)
    assert.strictEqual(String(await gather(pool.dump({ format: 'print' }))),
      `${header('print', 'a')}DATA=END\n${header('print', 'b\\5cc\\0a')} k\n a\\5cb\n \\c3\\a9\n \nDATA=END\n`)
    assert.match(String(await gather(pool.dump({ mapSize: 4096 }))), /^VERSION=3\nformat=bytevalue\ndatabase=a\ntype=btree\nmapsize=4096\nHEADER=END\n/)
    for (const wrong of [{ format: 'json' }, { format: 'constructor' }, { mapSize: -1 }, { mapSize: '1' }]) assert.throws(() => pool.dump(wrong), TypeError)
    pool.close()
  })

  for (const format of FORMATS) {
    it(`of the format ${format} has entries of all sizes, in chunks of any size`, async () => {
      const pool = Pool.open(folder.next())
      fill(pool)
      const dump = await gather(pool.dump({ format }))
      for (const size of [dump.length, 1000, 65_537]) {
        const chunks = Array.from({ length: Math.ceil(dump.length / size) }, (_, i) => dump.subarray(i * size, (i + 1) * size))
        assert.deepStrictEqual(await loaded(chunks), contentsOf(pool))
      }
      pool.close()
    })

    it(`of the format ${format} has every byte in its keys, values and names`, async () => {
      const entries = fc.uniqueArray(fc.tuple(text, text), { selector: ([key]) => key.toString('hex'), maxLength: 8 })
      const maps = fc.uniqueArray(fc.tuple(name, entries), { selector: ([name]) => name, minLength: 1, maxLength: 4 })
      await fc.assert(fc.asyncProperty(maps, fc.integer({ min: 1, max: 50 }), async (maps, size) => {
        const pool = poolOf(maps)
        const before = contentsOf(pool)
        const dump = await gather(pool.dump({ format }))
        pool.close()
        Pool.destroy(pool.path)
        const chunks = Array.from({ length: Math.ceil(dump.length / size) }, (_, i) => dump.subarray(i * size, (i + 1) * size))
        assert.deepStrictEqual(await loaded(chunks), before)
      }), { numRuns: 25 })
    })
  }

  it('of a snapshot has what was in it', async () => {
    const pool = poolOf([['a', [['k', 'old']]]])
    const snapshot = pool.snapshot()
    pool.map('a').put('k', 'new')
    pool.dropMap('a')
    assert.deepStrictEqual(await loaded(pool.dump({ snapshot })), { a: [['6b', '6f6c64']] })
    assert.deepStrictEqual(await Pool.load(folder.next(), pool.dump({ snapshot })), { maps: 1, entries: 1, bytes: 4 })
    snapshot.close()
    assert.strictEqual(pool.stats().snapshots, 0)
    pool.close()
  })

  it('may name no map, and have more in its header', async () => {
    const dump = 'VERSION=3\nformat=print\nmapsize=1048576\nh_ffactor=40\ntype=hash\nduplicates=0\nHEADER=END\n b\n 1\n a\n 2\n b\n 3\nDATA=END\n'
    const contents = [['61', '32'], ['62', '33']]
    assert.deepStrictEqual(await loaded([Buffer.from(dump)]), { main: contents })
    assert.deepStrictEqual(await loaded([Buffer.from(dump)], { map: 'other' }), { other: contents })
    await assert.rejects(Pool.load(folder.next(), [Buffer.from(dump)], { map: 3 }), TypeError)
  })

  it('is refused where it is not whole, or no dump', async () => {
    const wrong = {
      'line 1: it is empty': '',
      'line 1: a header does not end': 'VERSION=3',
      'line 1: a line of a header': 'hello\n',
      'line 4: VERSION must be 3': HEADER.replace('VERSION=3\n', ''),
      'line 5: VERSION must be 3': HEADER.replace('=3', '=4'),
      'line 2: VERSION is there twice': 'VERSION=3\n'.repeat(2),
      'entries of type recno': HEADER.replace('btree', 'recno'),
      'several values': HEADER.replace('type', 'duplicates=1\ntype'),
      'no format json': HEADER.replace('print', 'json'),
      'line 6: it ends before DATA=END': HEADER,
      'line 6: a line of data must begin': `${HEADER}k\n v\n`,
      'line 7: a key has no value': `${HEADER} k\nDATA=END\n`,
      'line 7: it ends before DATA=END': `${HEADER} k\n`,
      'line 7: it ends within a line': `${HEADER} k\n v`,
      'line 8: a line of data must begin': `${HEADER} k\n v\nDATA=EN\n`,
      'line 8: a line of data must begin with': `${HEADER} k\n v\nDATA=END`,
      'line 6: these are not bytes': `${HEADER} \\4\n v\nDATA=END\n`,
      'line 7: these are not bytes': `${HEADER} k\n \\4x\nDATA=END\n`,
      'line 6: these are not bytes in the format': `${HEADER.replace('print', 'bytevalue')} 6g\n 6b\nDATA=END\n`,
      'line 7: these are not bytes in the format': `${HEADER.replace('print', 'bytevalue')} 6b\n 6\nDATA=END\n`,
      'line 6: a key has 32769 bytes': `${HEADER} ${'k'.repeat(32769)}\n v\nDATA=END\n`,
      'line 6: a line has more than 32768 bytes': `${HEADER} ${'k'.repeat(200_000)}\n v\nDATA=END\n`,
      'the map m is there twice': `${HEADER}DATA=END\n`.repeat(2),
      'line 5: the name of a map has 0 bytes': HEADER.replace('=m', '='),
      'line 5: the name of a map has 256 bytes': HEADER.replace('=m', `=${'m'.repeat(256)}`),
      'line 5: a backslash in the name': HEADER.replace('=m', '=\\x'),
      'line 5: the name of a map is not UTF-8': HEADER.replace('=m', '=\\ff')
    }
    const location = folder.next()
    for (const [message, dump] of Object.entries(wrong)) {
      const halves = [dump.slice(0, dump.length / 2), dump.slice(dump.length / 2)].map(half => Buffer.from(half))
      await assert.rejects(Pool.load(location, halves), error => {
        assert.strictEqual(error.code, 'PMEMOBJ_BAD_DUMP', error.stack)
        assert.ok(error.message.includes(message), `${error.message} / ${message}`)
        return true
      })
      assert.deepStrictEqual([fs.existsSync(location), fs.readdirSync(path.dirname(location)).some(name => name.endsWith('.restoring'))], [false, false])
    }
  })

  it('is read by mdb_load, and mdb_dump is read', async function () {
    if (!has('mdb_dump', '-V')) return this.skip()
    // LMDB has no empty keys, and none above 511 bytes.
    const all = Array.from({ length: 256 }, (_, i) => [Buffer.from([i]), Buffer.from([i, 92, i, 10])])
    const pool = poolOf([['one', all], ['two', [['k', someBytes(2_000_000)], ['l', '']]], ['zero', []]])
    const before = contentsOf(pool)
    for (const format of FORMATS) {
      const environment = folder.next()
      fs.mkdirSync(environment)
      const dump = await gather(pool.dump({ format, mapSize: 2 ** 26 }))
      execFileSync('mdb_load', [environment], { input: dump, stdio: ['pipe', 'pipe', 'inherit'] })
      const theirs = execFileSync('mdb_dump', ['-a', environment], { maxBuffer: 2 ** 26 })
      assert.deepStrictEqual(data(theirs), data(await gather(pool.dump())))
      assert.deepStrictEqual(await loaded([theirs]), before)
    }
    pool.close()
  })

  it('is read by db_load, and db_dump is read', async function () {
    if (!has('db_dump', '-V')) return this.skip()
    const all = Array.from({ length: 256 }, (_, i) => [Buffer.from([i]), Buffer.from([i, 92, i, 10])])
    const pool = poolOf([['one', [['', 'of the empty key'], ...all]], ['two\\\n', [['k', someBytes(2_000_000)], ['l', '']]]])
    const before = contentsOf(pool)
    for (const format of FORMATS) {
      const file = folder.next()
      execFileSync('db_load', [file], { input: await gather(pool.dump({ format })), stdio: ['pipe', 'pipe', 'inherit'] })
      for (const option of [[], ['-p']]) {
        const theirs = execFileSync('db_dump', [...option, file], { maxBuffer: 2 ** 26 })
        assert.deepStrictEqual(await loaded([theirs]), before)
      }
    }
    pool.close()
  })
})
