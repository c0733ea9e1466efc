'use strict'

const assert = require('node:assert')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const zlib = require('node:zlib')
const { Pool } = require('..')
const { run } = require('./child')
const { contentsOf, fill, gather, someBytes } = require('./contents')
const { temporaryFolder } = require('./temporary-folder')

/** Restores a backup, and gives what is in the new pool. */
async function restored (location, backup) {
  const summary = await Pool.restore(location, [backup])
  const pool = Pool.open(location, { createIfMissing: false })
  const contents = contentsOf(pool)
  pool.close()
  Pool.destroy(location)
  return { contents, summary }
}

/** Reads a backup as docs/backup.md says, by other means than those of lib/. */
function takeApart (backup) {
  assert.strictEqual(backup.toString('latin1', 0, 8), 'PotBckup')
  assert.deepStrictEqual([backup.readUInt32LE(8), backup.readUInt32LE(12)], [1, 0])
  let checked = backup.subarray(0, 60)
  assert.strictEqual(backup.readUInt32LE(60), zlib.crc32(checked))
  const frames = []
  for (let at = 64; at < backup.length;) {
    const payload = backup.subarray(at + 12, at + 12 + backup.readUInt32LE(at + 4))
    checked = Buffer.concat([checked, backup.subarray(at, at + 8), payload])
    assert.strictEqual(backup.readUInt32LE(at + 8), zlib.crc32(checked))
    frames.push({ type: backup.readUInt32LE(at), payload })
    at += 12 + payload.length
  }
  return { created: Number(backup.readBigUInt64LE(16)), id: backup.toString('hex', 24, 40), frames }
}

describe('a backup', function () {
  this.timeout(600_000)
  const folder = temporaryFolder()
  let pool

  beforeEach(() => { pool = Pool.open(folder.next()) })

  afterEach(() => pool.close())

  it('has entries of all sizes, in all maps, and maps without any', async () => {
    fill(pool)
    const before = contentsOf(pool)
    const { contents, summary } = await restored(folder.next(), await gather(pool.backup()))
    assert.deepStrictEqual(contents, before)
    assert.strictEqual(summary.maps, Object.keys(before).length)
    assert.strictEqual(summary.entries, Object.values(before).flat().length)
    assert.ok(Math.abs(Date.now() - summary.created.getTime()) < 120_000)
    assert.strictEqual(pool.stats().snapshots, 0)
  })

  it('has one map only, by another name, where that is asked for', async () => {
    pool.map('a').put('key', 'of a')
    pool.map('b').put('key', 'of b')
    pool.root = { kept: true }
    const { contents } = await restored(folder.next(), await gather(pool.backup({ map: 'b' })))
    assert.deepStrictEqual(Object.keys(contents), ['b'])
    const { contents: renamed } = await restored(folder.next(), await gather(pool.backup({ map: 'b', as: 'a' })))
    assert.deepStrictEqual(renamed, { a: contents.b })
    assert.throws(() => pool.backup({ map: 'c' }), { code: 'PMEMOBJ_NOT_FOUND' })
    assert.throws(() => pool.backup({ map: 'b', as: '\0buffers' }), { code: 'PMEMOBJ_INVALID' })
    assert.throws(() => pool.backup({ map: '\0buffers' }), { code: 'PMEMOBJ_INVALID' })
    assert.strictEqual(pool.stats().snapshots, 0)
  })

  it('of a pool without maps is one too', async () => {
    const { contents, summary } = await restored(folder.next(), await gather(pool.backup()))
    assert.deepStrictEqual(contents, {})
    assert.deepStrictEqual([summary.maps, summary.entries, summary.bytes], [0, 0, 0])
  })

  it('is the pool as it was when it began, whatever is written meanwhile', async () => {
    fill(pool)
    pool.map('dropped').put('key', 'value')
    const before = contentsOf(pool)
    const many = pool.map('many')
    const backup = pool.backup()
    const chunks = []
    for await (const chunk of backup) {
      const i = chunks.push(chunk)
      pool.write([many, 'put', `key ${i}`, 'new', many, 'put', `new ${i}`, someBytes(i * 100), many, 'del', `key ${i + 1000}`, undefined])
      pool.map(`young ${i}`).put('key', 'value')
      if (i === 1) pool.dropMap('dropped')
      if (i === 2) pool.map('empty').put('key', 'value')
    }
    assert.ok(chunks.length > 100)
    const { contents } = await restored(folder.next(), Buffer.concat(chunks))
    assert.deepStrictEqual(contents, before)
    assert.notDeepStrictEqual(contentsOf(pool), before)
  })

  it('of an older snapshot has its maps, those that were dropped too, and no younger ones', async () => {
    pool.map('a').put('key', 'old')
    pool.map('dropped').put('key', 'value')
    const before = contentsOf(pool)
    const snapshot = pool.snapshot()
    pool.map('a').put('key', 'new')
    pool.dropMap('dropped')
    pool.map('young').put('key', 'value')
    const { contents } = await restored(folder.next(), await gather(pool.backup({ snapshot })))
    assert.deepStrictEqual(contents, before)
    assert.deepStrictEqual(pool.maps(), ['a', 'young'])
    assert.strictEqual(pool.map('a').get('key', { snapshot }), 'old')
    snapshot.close()
  })

  it('has the bytes that its description says', async () => {
    pool.map('b').batch(['put', 'k', 'value', 'put', 'key', ''])
    pool.map('c')
    const large = someBytes(300_000)
    pool.map('a').put('large', large)
    const { created, id, frames } = takeApart(await gather(pool.backup()))
    assert.ok(Math.abs(Date.now() - created) < 120_000)
    assert.match(id, /^[0-9a-f]{32}$/)
    assert.deepStrictEqual(frames.map(({ type }) => type), [1, 3, 4, 4, 1, 2, 1, 5])
    const [a, head, first, second, b, entries, c, end] = frames.map(({ payload }) => payload)
    assert.deepStrictEqual([a, b, c].map(String), ['a', 'b', 'c'])
    assert.deepStrictEqual([head.readUInt32LE(0), head.toString('utf8', 4)], [300_000, 'large'])
    assert.ok(Buffer.concat([first, second]).equals(large))
    assert.deepStrictEqual([0, 4, 8, 12, 16].map(at => entries.readUInt32LE(at)), [2, 1, 5, 3, 0])
    assert.strictEqual(entries.toString('utf8', 20), 'kvaluekey')
    assert.deepStrictEqual([0, 8, 16].map(at => end.readBigUInt64LE(at)), [3n, 3n, BigInt(300_000 + 5 + 6 + 3)])
  })

  it('lets go of its snapshot when it ends, is destroyed or aborted, read or not', async () => {
    fill(pool)
    const ends = {
      unread: stream => stream.destroy(),
      read: stream => stream.once('data', () => stream.destroy()),
      failed: stream => stream.once('data', () => stream.destroy(new Error('enough'))),
      aborted: (stream, controller) => stream.once('data', () => controller.abort())
    }
    for (const [name, end] of Object.entries(ends)) {
      const controller = new AbortController()
      const stream = pool.backup({ signal: controller.signal })
      assert.ok(pool.stats().snapshots > 0)
      const closed = new Promise(resolve => stream.once('close', resolve))
      let error
      stream.on('error', thrown => { error = thrown })
      end(stream, controller)
      await closed
      assert.strictEqual(error?.name, { failed: 'Error', aborted: 'AbortError' }[name])
      assert.strictEqual(pool.stats().snapshots, 0, name)
    }
  })

  it('reads no more than its reader wants', async () => {
    pool.map('a').batch(Array.from({ length: 500 }, (_, i) => ['put', `${i}`, Buffer.alloc(20_000)]).flat())
    const stream = pool.backup()
    for (let i = 0; i < 20; i++) await new Promise(setImmediate)
    assert.ok(stream.readableLength < 600_000, `${stream.readableLength} bytes`)
    const { bytes, entries } = stream.progress
    assert.ok(bytes < 600_000 && entries < 50)
    stream.destroy()
    await once(stream, 'close')
  })

  it('lets the event loop run, however fast it is read', async () => {
    fill(pool)
    let turns = 0
    const timer = setInterval(() => turns++, 0)
    await gather(pool.backup())
    clearInterval(timer)
    assert.ok(turns > 5, `${turns} turns`)
  })

  it('fails when the pool is closed meanwhile', async () => {
    fill(pool)
    const other = Pool.open(folder.next())
    fill(other)
    const stream = other.backup()
    await assert.rejects(async () => {
      for await (const chunk of stream) if (chunk.length > 0) other.close()
    }, { code: 'PMEMOBJ_CLOSED' })
    assert.throws(() => other.backup(), { code: 'PMEMOBJ_CLOSED' })
  })

  it('tells how far it is', async () => {
    fill(pool)
    const seen = []
    const stream = pool.backup({ onProgress: progress => seen.push(progress) })
    const backup = await gather(stream)
    for (const [i, { maps, entries, bytes }] of seen.entries()) {
      const before = seen[i - 1] ?? { maps: 0, entries: 0, bytes: 0 }
      assert.ok(maps >= before.maps && entries >= before.entries && bytes >= before.bytes)
    }
    assert.deepStrictEqual(seen.at(-1), stream.progress)
    assert.deepStrictEqual([stream.progress.bytes, stream.progress.maps], [backup.length, pool.maps().length])
    assert.ok(stream.progress.estimate > backup.length * 0.8 && stream.progress.estimate < backup.length * 1.5)
    await assert.rejects(gather(pool.backup({ onProgress () { throw new Error('no more') } })), /no more/)
    assert.strictEqual(pool.stats().snapshots, 0)
  })

  it('refuses options of other types, and snapshots of other pools', () => {
    const other = Pool.open(folder.next())
    assert.throws(() => pool.backup({ snapshot: other.snapshot() }), { code: 'PMEMOBJ_INVALID' })
    assert.throws(() => pool.backup({ snapshot: {} }), TypeError)
    assert.throws(() => pool.backup({ onProgress: 1 }), TypeError)
    assert.throws(() => pool.backup({ signal: 1 }), TypeError)
    const closed = pool.snapshot()
    closed.close()
    assert.throws(() => pool.backup({ snapshot: closed }), { code: 'PMEMOBJ_CLOSED' })
    assert.strictEqual(pool.stats().snapshots, 0)
    other.close()
  })

  describe('in a file', () => {
    it('replaces an older one when it is whole, and is its owner\'s only', async () => {
      const file = folder.next()
      pool.map('a').put('key', 'old')
      await pool.backupTo(file)
      pool.map('a').put('key', 'new')
      const progress = await pool.backupTo(file)
      const { contents } = await restored(folder.next(), fs.readFileSync(file))
      assert.deepStrictEqual(contents, contentsOf(pool))
      assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600)
      assert.strictEqual(fs.statSync(file).size, progress.bytes)
      assert.deepStrictEqual(fs.readdirSync(path.dirname(file)).filter(name => name.endsWith('.draft')), [])
    })

    it('leaves the older one, and nothing else, where its process is killed', async () => {
      const file = folder.next()
      fs.writeFileSync(file, 'older')
      fill(pool)
      const killed = run("const pool = Pool.open(process.argv[1], { readOnly: true }); pool.backupTo(process.argv[2], { onProgress: () => process.kill(process.pid, 'SIGKILL') })", [pool.path, file])
      await assert.rejects(killed, /SIGKILL/)
      assert.strictEqual(fs.readFileSync(file, 'utf8'), 'older')
      assert.deepStrictEqual(fs.readdirSync(path.dirname(file)).filter(name => name.startsWith(path.basename(file))), [path.basename(file)])
    })

    it('leaves the older one, and nothing else, where it fails', async () => {
      const file = folder.next()
      fs.writeFileSync(file, 'older')
      fill(pool)
      const controller = new AbortController()
      await assert.rejects(pool.backupTo(file, { signal: controller.signal, onProgress: ({ entries }) => entries > 0 && controller.abort() }), { name: 'AbortError' })
      assert.strictEqual(fs.readFileSync(file, 'utf8'), 'older')
      assert.deepStrictEqual(fs.readdirSync(path.dirname(file)).filter(name => name.endsWith('.draft')), [])
      await assert.rejects(pool.backupTo(path.join(folder.next(), 'file')), { code: 'PMEMOBJ_NOT_FOUND' })
      for (const own of ['pool.set', '000000.pmem', '000001.pmem', 'mine.backup']) await assert.rejects(pool.backupTo(path.join(pool.path, own)), { code: 'PMEMOBJ_EXISTS' })
      for (const wrong of [undefined, '', 3]) await assert.rejects(pool.backupTo(wrong), TypeError)
      assert.strictEqual(pool.stats().snapshots, 0)
    })
  })
})
