'use strict'

const assert = require('node:assert')
const { execFileSync, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { Readable } = require('node:stream')
const { setImmediate } = require('node:timers/promises')
const zlib = require('node:zlib')
const { Pool } = require('..')
const { contentsOf, fill, gather, someBytes } = require('./contents')
const { start } = require('./child')
const { temporaryFolder } = require('./temporary-folder')

const REFUSED = /^PMEMOBJ_(NOT_A_BACKUP|BACKUP_DAMAGED|BACKUP_VERSION)$/

/** A backup with right checksums, whatever else is wrong with it. `payload`: a Buffer or a string. */
function forge (frames, { version = 1 } = {}) {
  const header = Buffer.alloc(64)
  header.write('PotBckup')
  header.writeUInt32LE(version, 8)
  let crc = zlib.crc32(header.subarray(0, 60))
  header.writeUInt32LE(crc, 60)
  return Buffer.concat([header, ...frames.flatMap(([type, payload]) => {
    const head = Buffer.alloc(12)
    head.writeUInt32LE(type, 0)
    head.writeUInt32LE(payload.length, 4)
    crc = zlib.crc32(Buffer.from(payload), zlib.crc32(head.subarray(0, 8), crc))
    head.writeUInt32LE(crc, 8)
    return [head, Buffer.from(payload)]
  })])
}

const words = (...numbers) => Buffer.from(Uint32Array.from(numbers).buffer)
const totals = (...numbers) => Buffer.from(BigUint64Array.from(numbers.map(BigInt)).buffer)
const entries = (lengths, text) => Buffer.concat([words(lengths.length / 2, ...lengths), Buffer.from(text)])

const map = [1, 'm']
const entry = [2, entries([1, 1], 'kv')]

describe('restoring', function () {
  this.timeout(600_000)
  const folder = temporaryFolder()
  let location
  let small

  before(async () => {
    const pool = Pool.open(folder.next())
    pool.map('a').batch(['put', 'k1', 'one', 'put', 'k2', ''])
    pool.map('b')
    small = await gather(pool.backup())
    pool.close()
  })

  beforeEach(() => { location = path.join(folder.path, 'restored') })

  afterEach(() => {
    for (const name of left()) fs.rmSync(path.join(folder.path, name), { recursive: true, force: true })
  })

  const left = () => fs.readdirSync(folder.path).filter(name => name.startsWith('restored'))

  async function refuses (source, code) {
    await assert.rejects(Pool.restore(location, source), error => {
      assert.match(error.code ?? error.stack, code instanceof RegExp ? code : new RegExp(`^${code}$`))
      return true
    })
    assert.deepStrictEqual(left(), [])
  }

  function restoredContents () {
    const pool = Pool.open(location, { createIfMissing: false })
    const contents = contentsOf(pool)
    pool.close()
    return contents
  }

  const smallContents = { a: [['6b31', '6f6e65'], ['6b32', '']], b: [] }

  it('refuses a backup with any one bit wrong', async () => {
    for (let at = 0; at < small.length; at++) {
      const wrong = Buffer.from(small)
      wrong[at] ^= 1 << (at % 8)
      await refuses([wrong], at < 8 ? 'PMEMOBJ_NOT_A_BACKUP' : 'PMEMOBJ_BACKUP_DAMAGED')
    }
  })

  it('refuses a backup that ends early, wherever that is', async () => {
    for (let length = 0; length < small.length; length++) await refuses([small.subarray(0, length)], REFUSED)
    await Pool.restore(location, [small])
    assert.deepStrictEqual(restoredContents(), smallContents)
  })

  it('refuses what follows the end, and frames that are missing, twice, or of another backup', async () => {
    await refuses([small, Buffer.alloc(1)], 'PMEMOBJ_BACKUP_DAMAGED')
    const frames = [map, entry, [1, 'n'], entry, [5, totals(2, 2, 4)]]
    const whole = forge(frames)
    const cut = [0, ...frames.map((_, i) => forge(frames.slice(0, i)).length), whole.length]
    const parts = cut.slice(1).map((end, i) => whole.subarray(cut[i], end))
    for (let i = 1; i < parts.length; i++) {
      await refuses([...parts.slice(0, i), ...parts.slice(i + 1)], 'PMEMOBJ_BACKUP_DAMAGED')
      await refuses([...parts.slice(0, i), parts[i], ...parts.slice(i)], 'PMEMOBJ_BACKUP_DAMAGED')
    }
    await refuses([parts[0], parts[3], parts[4], parts[1], parts[2], parts[5]], 'PMEMOBJ_BACKUP_DAMAGED')
    await refuses([small.subarray(0, 64), ...parts.slice(1)], 'PMEMOBJ_BACKUP_DAMAGED')
    await Pool.restore(location, parts)
    assert.deepStrictEqual(restoredContents(), { m: [['6b', '76']], n: [['6b', '76']] })
  })

  it('refuses another version, and what is no backup', async () => {
    await refuses([forge([], { version: 2 })], 'PMEMOBJ_BACKUP_VERSION')
    for (const other of [[], [Buffer.alloc(1000)], [Buffer.from('VERSION=3\n')], [someBytes(100_000)]]) await refuses(other, 'PMEMOBJ_NOT_A_BACKUP')
  })

  it('refuses what contradicts itself, though its checksums are right', async () => {
    const long = 'n'.repeat(256)
    const wrong = {
      'no end': [map, entry],
      'totals of maps': [map, entry, [5, totals(2, 1, 2)]],
      'totals of entries': [map, entry, [5, totals(1, 2, 2)]],
      'totals of bytes': [map, entry, [5, totals(1, 1, 3)]],
      'a short end': [[5, totals(0, 0)]],
      'no map before the first entry': [entry, [5, totals(0, 1, 2)]],
      'an empty name': [[1, ''], [5, totals(1, 0, 0)]],
      'a long name': [[1, long], [5, totals(1, 0, 0)]],
      'a name that is not UTF-8': [[1, Buffer.from([0xff])], [5, totals(1, 0, 0)]],
      'a map twice': [map, map, [5, totals(2, 0, 0)]],
      'maps out of order': [[1, 'n'], map, [5, totals(2, 0, 0)]],
      'a key twice': [map, entry, entry, [5, totals(1, 2, 4)]],
      'keys out of order': [map, [2, entries([1, 0, 1, 0], 'ba')], [5, totals(1, 2, 2)]],
      'an unknown frame': [map, [6, ''], [5, totals(1, 0, 0)]],
      'no entries in a frame': [map, [2, words(0)], [5, totals(1, 0, 0)]],
      'an empty frame of entries': [map, [2, ''], [5, totals(1, 0, 0)]],
      'more entries than there is room for': [map, [2, words(0xffffffff)], [5, totals(1, 0, 0)]],
      'an entry longer than its frame': [map, [2, entries([1, 0xffffffff], 'k')], [5, totals(1, 1, 1)]],
      'a frame longer than its entries': [map, [2, entries([1, 1], 'kvx')], [5, totals(1, 1, 2)]],
      'a long key': [map, [2, entries([32769, 0], 'k'.repeat(32769))], [5, totals(1, 1, 32769)]],
      'a piece of no value': [map, [4, 'v'], [5, totals(1, 0, 0)]],
      'a value without its pieces': [map, [3, entries([2, 107], '').subarray(4)], [5, totals(1, 0, 0)]],
      'something else between the pieces': [map, [3, Buffer.concat([words(2), Buffer.from('k')])], [4, 'v'], entry, [4, 'v'], [5, totals(1, 2, 5)]],
      'pieces longer than their value': [map, [3, Buffer.concat([words(2), Buffer.from('k')])], [4, 'vvv'], [5, totals(1, 1, 4)]],
      'an empty piece': [map, [3, Buffer.concat([words(2), Buffer.from('k')])], [4, ''], [4, 'vv'], [5, totals(1, 1, 3)]],
      'a value of no bytes in pieces': [map, [3, Buffer.concat([words(0), Buffer.from('k')])], [5, totals(1, 1, 1)]],
      'a value of more than 1 GiB': [map, [3, Buffer.concat([words(2 ** 30 + 1), Buffer.from('k')])], [4, 'v'], [5, totals(1, 1, 2)]],
      'a frame of more than 1 MiB': [map, [2, Buffer.alloc(2 ** 20 + 1)]]
    }
    for (const [name, frames] of Object.entries(wrong)) {
      await refuses([forge(frames)], 'PMEMOBJ_BACKUP_DAMAGED').catch(error => { throw new Error(name, { cause: error }) })
    }
    const right = forge([map, [3, Buffer.concat([words(2), Buffer.from('k')])], [4, 'v'], [4, 'w'], [5, totals(1, 1, 3)]])
    await Pool.restore(location, [right])
    assert.deepStrictEqual(restoredContents(), { m: [['6b', '7677']] })
  })

  it('takes no memory for a value that is only claimed to be long', async () => {
    const claim = forge([map, [3, Buffer.concat([words(2 ** 30), Buffer.from('k')])], [4, 'v']])
    const before = process.resourceUsage().maxRSS
    await refuses([claim], 'PMEMOBJ_BACKUP_DAMAGED')
    const grown = process.resourceUsage().maxRSS - before
    assert.ok(grown < 200 * 1024, `${grown} KiB`)
  })

  it('takes chunks of any size, from streams of any kind', async () => {
    const sources = {
      bytes: () => Array.from(small, byte => Uint8Array.of(byte)),
      'empty chunks': () => [Buffer.alloc(0), small, Buffer.alloc(0)],
      'a stream of Node.js': () => Readable.from([small], { objectMode: false }),
      'a stream of the web': () => new Blob([small]).stream(),
      'an asynchronous generator': async function * () { yield small }
    }
    for (const [name, source] of Object.entries(sources)) {
      await Pool.restore(location, source())
      assert.deepStrictEqual(restoredContents(), smallContents, name)
      Pool.destroy(location)
    }
    for (const wrong of [undefined, null, 3, {}, 'PotBckup', small]) await assert.rejects(Pool.restore(location, wrong), TypeError)
    await assert.rejects(Pool.restore(location, ['text']), TypeError)
    await assert.rejects(Pool.restore(location, [small], { onProgress: 1 }), TypeError)
    assert.deepStrictEqual(left(), [])
  })

  it('leaves nothing where its stream fails, or it is aborted', async () => {
    const half = small.subarray(0, 100)
    await assert.rejects(Pool.restore(location, (async function * () { yield half; throw new Error('no network') }())), /no network/)
    assert.deepStrictEqual(left(), [])
    const controller = new AbortController()
    const stalled = new Readable({ read () {} })
    stalled.push(half)
    const restoring = Pool.restore(location, stalled, { signal: controller.signal })
    await setImmediate()
    assert.strictEqual(fs.existsSync(location), false)
    controller.abort()
    await assert.rejects(restoring, { name: 'AbortError' })
    assert.strictEqual(stalled.destroyed, true)
    assert.deepStrictEqual(left(), [])
    await assert.rejects(Pool.restore(location, [small], { signal: AbortSignal.abort() }), { name: 'AbortError' })
    assert.deepStrictEqual(left(), [])
  })

  it('puts nothing in the place of something', async () => {
    fs.writeFileSync(location, 'mine')
    await assert.rejects(Pool.restore(location, [small]), { code: 'PMEMOBJ_EXISTS' })
    assert.strictEqual(fs.readFileSync(location, 'utf8'), 'mine')
    fs.unlinkSync(location)
    Pool.open(location).close()
    await assert.rejects(Pool.restore(location, [small]), { code: 'PMEMOBJ_EXISTS' })
    Pool.destroy(location)
    await assert.rejects(Pool.restore(path.join(location, 'deep'), [small]), { code: 'PMEMOBJ_NOT_FOUND' })
    fs.mkdirSync(location)
    await Pool.restore(location, [small])
    assert.deepStrictEqual(restoredContents(), smallContents)
    Pool.destroy(location)
  })

  it('takes no pool for a remain of its own', async () => {
    const mine = ['restored.restoring', 'restored.0123456789ab.old', 'restored.0123456789abc.restoring'].map(name => path.join(path.dirname(location), name))
    for (const other of mine) {
      const pool = Pool.open(other)
      pool.map('a').put('k', 'v')
      pool.close()
    }
    await assert.rejects(Pool.restore(location, [Buffer.from('no backup')]), { code: 'PMEMOBJ_NOT_A_BACKUP' })
    await Pool.restore(location, [small])
    for (const other of mine) {
      const pool = Pool.open(other, { createIfMissing: false })
      assert.strictEqual(pool.map('a').get('k'), 'v')
      pool.close()
      Pool.destroy(other)
    }
  })

  it('makes pools of one file too', async () => {
    await Pool.restore(location, [small], { maxSize: 0, size: 16 * 2 ** 20 })
    assert.strictEqual(fs.statSync(location).size, 16 * 2 ** 20)
    assert.deepStrictEqual(left(), ['restored'])
    assert.deepStrictEqual(restoredContents(), smallContents)
    await assert.rejects(Pool.restore(location, [small], { maxSize: 0 }), { code: 'PMEMOBJ_EXISTS' })
  })

  it('tells how far it is', async () => {
    const pool = Pool.open(folder.next())
    fill(pool)
    const seen = []
    const summary = await Pool.restore(location, pool.backup(), { onProgress: progress => seen.push(progress) })
    pool.close()
    assert.ok(seen.length > 10)
    const { maps, entries, bytes } = seen.at(-1)
    assert.deepStrictEqual([maps, entries, bytes], [summary.maps, summary.entries, summary.bytes])
    await assert.rejects(Pool.restore(path.join(folder.path, 'restored-2'), [small], { onProgress () { throw new Error('no more') } }), /no more/)
    assert.deepStrictEqual(left(), ['restored'])
  })

  it('leaves nothing where the new pool is full', async () => {
    const pool = Pool.open(folder.next())
    pool.map('a').batch(Array.from({ length: 100 }, (_, i) => ['put', `${i}`, Buffer.alloc(200_000)]).flat())
    const backup = await gather(pool.backup())
    pool.close()
    await assert.rejects(Pool.restore(location, [backup], { maxSize: 10 * 2 ** 20 }), { code: 'PMEMOBJ_NO_SPACE' })
    await assert.rejects(Pool.restore(location, [backup], { maxSize: 0 }), { code: 'PMEMOBJ_NO_SPACE' })
    assert.deepStrictEqual(left(), [])
  })

  it('of a process that was killed leaves no pool, and does not stop the next one', async () => {
    const child = start(`
      let seen = false
      Pool.restore(process.argv[1], process.stdin, { onProgress () { if (!seen) console.log('some'); seen = true } })
    `, [location])
    const pool = Pool.open(folder.next())
    fill(pool)
    const before = contentsOf(pool)
    const backup = await gather(pool.backup())
    pool.close()
    child.stdin.on('error', () => {})
    child.stdin.write(backup.subarray(0, backup.length / 2))
    await once(child.stdout, 'data')
    const [draft, ...others] = left()
    assert.match(draft, /^restored\.[0-9a-f]{12}\.restoring$/)
    assert.deepStrictEqual(others, [])
    await Pool.restore(location, [small])
    assert.deepStrictEqual(left(), ['restored', draft])
    Pool.destroy(location)
    child.kill('SIGKILL')
    await once(child, 'exit')
    assert.deepStrictEqual(left(), [draft])
    await Pool.restore(location, [backup])
    assert.deepStrictEqual(left(), ['restored'])
    assert.deepStrictEqual(restoredContents(), before)
  })

  it('and backing up leave nothing on a file system that is full', function () {
    const unshare = ['--mount', '--map-root-user', '--user']
    const probe = spawnSync('unshare', [...unshare, 'mount', '-t', 'tmpfs', 'none', folder.path])
    if (probe.status !== 0) return this.skip()
    const script = `
      const { Pool } = require(${JSON.stringify(require.resolve('..'))})
      const fs = require('fs')
      const pool = Pool.open(process.argv[1], { createIfMissing: true })
      for (let i = 0; i < 60; i++) pool.map('a').put(String(i), Buffer.alloc(300000, i))
      const chunks = []
      pool.backup().on('data', chunk => chunks.push(chunk)).on('end', async () => {
        const codes = []
        await Pool.restore('./full/pool', chunks).catch(error => codes.push(error.code))
        await Pool.restore('./full/pool', chunks, { maxSize: 0, size: 2 ** 26 }).catch(error => codes.push(error.code))
        await pool.backupTo('./full/file').catch(error => codes.push(error.code))
        console.log(JSON.stringify([codes, fs.readdirSync('./full')]))
      })`
    const work = folder.next()
    fs.mkdirSync(path.join(work, 'full'), { recursive: true })
    const output = execFileSync('unshare', [...unshare, 'sh', '-c',
      'mount -t tmpfs -o size=12m none full && exec "$0" -e "$1" ./source', process.execPath, script], { cwd: work, encoding: 'utf8' })
    assert.deepStrictEqual(JSON.parse(output), [['PMEMOBJ_NO_SPACE', 'PMEMOBJ_NO_SPACE', 'PMEMOBJ_NO_SPACE'], []])
  })
})
