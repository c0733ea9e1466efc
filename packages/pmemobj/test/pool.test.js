'use strict'

const assert = require('node:assert')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { Pool, check, salvage } = require('..')
const { temporaryFolder } = require('./temporary-folder')

const MIB = 2 ** 20

describe('a pool', () => {
  const folder = temporaryFolder()

  it('is made where there is none, and is there again', () => {
    const location = folder.next()
    const pool = Pool.open(location)
    assert.strictEqual(pool.path, location)
    assert.strictEqual(pool.closed, false)
    pool.map('a').put('key', 'value')
    pool.close()
    assert.strictEqual(pool.closed, true)
    const again = Pool.open(location, { createIfMissing: false })
    assert.strictEqual(again.map('a').get('key'), 'value')
    again.close()
  })

  it('is not opened beside a copy of its files, which says why', () => {
    const [location, copy] = [folder.next(), folder.next()]
    Pool.open(location).close()
    fs.cpSync(location, copy, { recursive: true })
    const pool = Pool.open(location)
    assert.throws(() => Pool.open(copy), { code: 'PMEMOBJ_EXISTS', message: /is a copy of a pool that this process has open/ })
    pool.close()
    Pool.open(copy).close()
  })

  it('is made in a folder that is there, and names the one that is not', () => {
    const missing = folder.next()
    for (const method of ['open', 'create']) assert.throws(() => Pool[method](path.join(missing, 'pool')), { code: 'PMEMOBJ_NOT_FOUND', message: `${path.join(missing, 'pool')}: there is no folder ${missing}; make it first` })
    assert.throws(() => Pool.open(path.join(missing, 'pool'), { createIfMissing: false }), { code: 'PMEMOBJ_NOT_FOUND', message: /does not exist/ })
    assert.strictEqual(fs.existsSync(missing), false)
  })

  it('is opened by a function, and not made by new', () => {
    const location = folder.next()
    for (const make of [() => new Pool(location), () => new Pool()]) assert.throws(make, { name: 'TypeError', message: 'A pool is opened by Pool.open(path), and not by new Pool' })
    assert.strictEqual(fs.existsSync(location), false)
  })

  it('takes no option that it does not have, and names the nearest', async () => {
    const location = folder.next()
    for (const method of ['open', 'create']) {
      assert.throws(() => Pool[method](location, { maxsize: MIB }), { name: 'TypeError', message: `Pool.${method}() has no option maxsize; do you mean maxSize?` })
    }
    assert.throws(() => Pool.open(location, { exclusive: true }), { name: 'TypeError' })
    assert.throws(() => Pool.destroy(location, { ifEmtpy: true }), { name: 'TypeError', message: /do you mean ifEmpty\?/ })
    for (const method of ['restore', 'load']) await assert.rejects(Pool[method](location, [], { sise: MIB }), { name: 'TypeError', message: /do you mean size\?/ })
    for (const failing of [check(location, { kye: undefined, keys: 1 }), salvage(location, `${location}-to`, { maxsize: 1 })]) await assert.rejects(failing, { name: 'TypeError', message: /has no option/ })
    assert.strictEqual(fs.existsSync(location), false)
    const pool = Pool.open(location, { key: undefined, other: undefined })
    pool.root = {}
    assert.throws(() => pool.transaction(() => { pool.root.a = 1 }, { readonly: true }), { name: 'TypeError', message: 'pool.transaction() has no option readonly; do you mean readOnly?' })
    for (const call of [() => pool.watch(pool.root, () => {}, { depp: true }), () => pool.watch(pool.root, { depp: true }), () => pool.register(class A {}, { nmae: 'a' }),
      () => pool.backup({ mpa: 'a' }), () => pool.dump({ formt: 'print' }), () => pool.hold('a', { allone: true })]) assert.throws(call, { name: 'TypeError', message: /do you mean/ })
    assert.throws(() => pool.compact({ a: 1 }), { name: 'TypeError', message: 'pool.compact() has no option a: it takes none' })
    assert.deepStrictEqual(pool.plain(pool.root), {})
    pool.close()
    Pool.destroy(location)
  })

  it('is named by its path where libpmemobj cannot make it', function () {
    if (process.platform === 'win32') this.skip()
    const location = folder.next()
    const script = `require(${JSON.stringify(require.resolve('..'))}).Pool.open(process.argv[1])`
    const { stderr } = spawnSync('sh', ['-c', 'ulimit -f 1000 && exec "$0" -e "$1" "$2"', process.execPath, script, location], { encoding: 'utf8' })
    assert.match(stderr, /PMEMOBJ_NO_SPACE/)
    assert.ok(stderr.includes(`"${location}/000000.pmem", 8388608: File too large`), stderr)
    assert.doesNotMatch(stderr, /\/proc\/self/)
  })

  it('is made in a folder that is empty', () => {
    const location = folder.next()
    fs.mkdirSync(location)
    Pool.open(location).close()
    Pool.open(location, { createIfMissing: false }).close()
  })

  it('is destroyed if it is empty, where that is asked for', () => {
    const location = folder.next()
    const pool = Pool.open(location)
    pool.map('a').put('key', 'value')
    assert.throws(() => Pool.destroy(location, { ifEmpty: true }), { code: 'PMEMOBJ_IN_USE' })
    pool.close()
    assert.strictEqual(Pool.destroy(location, { ifEmpty: true }), false)
    const again = Pool.open(location, { createIfMissing: false })
    assert.strictEqual(again.map('a').get('key'), 'value')
    again.dropMap('a')
    again.root = { held: true }
    again.close()
    assert.strictEqual(Pool.destroy(location, { ifEmpty: true }), false)
    const other = folder.next()
    Pool.open(other).close()
    assert.strictEqual(Pool.destroy(other, { ifEmpty: true }), true)
    assert.strictEqual(fs.existsSync(other), false)
  })

  it('grows, part by part', () => {
    const pool = Pool.open(folder.next())
    const map = pool.map('a')
    const { size, maxSize } = pool.stats()
    assert.strictEqual(maxSize, 2 ** 36)
    const value = Buffer.alloc(MIB, 'x')
    for (let i = 0; i < 40; i++) map.put(`${i}`, value)
    const stats = pool.stats()
    assert.ok(stats.size > size && stats.size >= 40 * MIB, `${size} → ${stats.size}`)
    assert.ok(stats.used >= 40 * MIB && stats.used <= stats.size)
    pool.close()
    const again = Pool.open(pool.path)
    for (let i = 0; i < 40; i++) assert.ok(again.map('a').get(`${i}`, { encoding: 'buffer' }).equals(value))
    again.close()
  })

  it('may have white space in its path, grows there, and may be moved', () => {
    const location = path.join(folder.next(), 'my todos\tand more')
    fs.mkdirSync(path.dirname(location))
    const pool = Pool.open(location)
    const value = Buffer.alloc(MIB, 'x')
    for (let i = 0; i < 20; i++) pool.map('a').put(`${i}`, value)
    assert.throws(() => Pool.open(location), { code: 'PMEMOBJ_IN_USE' })
    pool.close()
    const moved = path.join(path.dirname(location), 'my other place')
    fs.renameSync(location, moved)
    const again = Pool.open(moved, { createIfMissing: false })
    for (let i = 0; i < 40; i++) again.map('a').put(`${i}`, value)
    again.close()
    const last = Pool.open(moved, { createIfMissing: false })
    for (let i = 0; i < 40; i++) assert.ok(last.map('a').get(`${i}`, { encoding: 'buffer' }).equals(value))
    last.close()
    Pool.destroy(moved)
    assert.ok(!fs.existsSync(moved))
  })

  it('is one file where it must not grow', () => {
    const location = folder.next()
    const pool = Pool.open(location, { size: 16 * MIB, maxSize: 0 })
    pool.map('a').put('key', 'value')
    assert.strictEqual(pool.stats().size, 16 * MIB)
    pool.close()
    assert.strictEqual(fs.statSync(location).size, 16 * MIB)
    const least = Pool.open(folder.next(), { size: 1, maxSize: 0 })
    assert.strictEqual(least.stats().size, 8 * MIB)
    least.close()
    const again = Pool.open(location)
    assert.strictEqual(again.map('a').get('key'), 'value')
    again.close()
  })

  it('says what it is', () => {
    const pool = Pool.open(folder.next())
    const { snapshots, isPmem, used } = pool.stats()
    assert.strictEqual(snapshots, 0)
    assert.strictEqual(typeof isPmem, 'boolean')
    if (process.env.PMEM_IS_PMEM_FORCE === '1') assert.strictEqual(isPmem, true)
    const map = pool.map('a')
    map.get('key')
    const snapshot = pool.snapshot()
    const iterator = map.iterator()
    assert.ok(pool.stats().snapshots > 0)
    snapshot.close()
    iterator.close()
    assert.strictEqual(pool.stats().snapshots, 0)
    map.put('key', Buffer.alloc(MIB))
    assert.ok(pool.stats().used > used + MIB / 2)
    pool.close()
  })

  it('reuses the room of what was replaced', () => {
    const pool = Pool.open(folder.next(), { size: 16 * MIB, maxSize: 0 })
    const map = pool.map('a')
    for (let i = 0; i < 500; i++) map.put(`${i % 5}`, Buffer.alloc(MIB / 2, i))
    for (let i = 0; i < 5; i++) assert.strictEqual(map.get(`${i}`, { encoding: 'buffer' })[0], (495 + i) % 256)
    pool.close()
  })

  it('has several maps', () => {
    const location = folder.next()
    let pool = Pool.open(location)
    assert.deepStrictEqual(pool.maps(), [])
    const names = ['b', 'a', 'ü', 'c/d', '0'.repeat(255)]
    for (const name of names) pool.map(name).put('name', name)
    assert.strictEqual(pool.map('a'), pool.map('a'))
    pool.close()
    pool = Pool.open(location)
    assert.deepStrictEqual(pool.maps(), ['0'.repeat(255), 'a', 'b', 'c/d', 'ü'])
    for (const name of names) assert.strictEqual(pool.map(name).get('name'), name)
    pool.dropMap('a')
    assert.deepStrictEqual(pool.maps().includes('a'), false)
    assert.strictEqual(pool.map('a').get('name'), undefined)
    assert.strictEqual(pool.map('b').get('name'), 'b')
    pool.close()
  })

  it('fails a call on a map that was dropped, and nothing else', () => {
    const pool = Pool.open(folder.next())
    const dropped = pool.map('a')
    dropped.put('key', 'value')
    pool.dropMap('a')
    assert.throws(() => dropped.put('key', 'value'), { code: /^PMEMOBJ_(INVALID|NOT_FOUND)$/ })
    const fresh = pool.map('a')
    assert.strictEqual(fresh.get('key'), undefined)
    fresh.put('key', 'new')
    assert.strictEqual(fresh.get('key'), 'new')
    pool.close()
  })

  it('writes atomically over several maps', () => {
    const pool = Pool.open(folder.next())
    const [a, b] = [pool.map('a'), pool.map('b')]
    a.put('old', '')
    pool.write([a, 'put', 'x', '1', b, 'put', 'x', '2', a, 'del', 'old', undefined, b, 'put', 'y', Buffer.from('3')])
    assert.deepStrictEqual(a.iterator().nextv(9), ['x', '1'])
    assert.deepStrictEqual(b.iterator().nextv(9), ['x', '2', 'y', '3'])
    assert.throws(() => pool.write([a, 'put', 'z', '1', b, 'put', 'k'.repeat(40_000), '']), { code: 'PMEMOBJ_INVALID' })
    assert.strictEqual(a.has('z'), false)
    pool.write([])
    pool.close()
  })

  it('refuses maps of another pool, and arguments of other types', () => {
    const pool = Pool.open(folder.next())
    const other = Pool.open(folder.next())
    const [map, foreign] = [pool.map('a'), other.map('a')]
    assert.throws(() => pool.write([foreign, 'put', 'a', 'b']), TypeError)
    assert.throws(() => map.get('a', { snapshot: other.snapshot() }), { code: 'PMEMOBJ_INVALID' })
    for (const wrong of [undefined, {}, 'ab', [map], [map, 'put', 'a'], [{}, 'put', 'a', 'b'], [map, 'set', 'a', 'b'], [map, 'put', 1, 'b']]) {
      assert.throws(() => pool.write(wrong), TypeError)
    }
    for (const wrong of [undefined, 1, {}, Buffer.from('a')]) {
      assert.throws(() => pool.map(wrong), TypeError)
      assert.throws(() => Pool.open(wrong), TypeError)
      assert.throws(() => Pool.destroy(wrong), TypeError)
    }
    for (const options of [{ size: '8 bits' }, { size: -1 }, { maxSize: 1.5 }, { maxSize: NaN }]) {
      assert.throws(() => Pool.open(folder.next(), options), TypeError)
    }
    assert.throws(() => Pool.open('a\0b'), TypeError)
    pool.close()
    other.close()
  })

  it('is destroyed with its files, and nothing else', () => {
    const location = folder.next()
    Pool.open(location).close()
    Pool.destroy(location)
    assert.strictEqual(fs.existsSync(location), false)
    Pool.open(location).close()
    fs.writeFileSync(path.join(location, 'note.txt'), 'mine')
    Pool.destroy(location)
    assert.deepStrictEqual(fs.readdirSync(location), ['note.txt'])
    const file = folder.next()
    Pool.open(file, { size: 8 * MIB, maxSize: 0 }).close()
    Pool.destroy(file)
    assert.strictEqual(fs.existsSync(file), false)
  })
})
