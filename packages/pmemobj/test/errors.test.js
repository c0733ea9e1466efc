'use strict'

const assert = require('node:assert')
const fs = require('node:fs')
const path = require('node:path')
const { Pool, codes } = require('..')
const { temporaryFolder } = require('./temporary-folder')
const { start } = require('./child')

const LEAST = 8 * 2 ** 20

describe('errors of a pool', () => {
  const folder = temporaryFolder()

  function create (options) {
    const location = folder.next()
    Pool.open(location, options).close()
    return location
  }

  function fails (action, code) {
    assert.throws(action, error => {
      assert.strictEqual(error.code, code, error.stack)
      assert.ok(error.message.length > 5)
      return true
    })
  }

  it('PMEMOBJ_NOT_FOUND: there is none, and none is to be made', () => {
    const location = folder.next()
    fails(() => Pool.open(location, { createIfMissing: false }), 'PMEMOBJ_NOT_FOUND')
    assert.strictEqual(fs.existsSync(location), false)
    fails(() => Pool.destroy(location), 'PMEMOBJ_NOT_FOUND')
  })

  it('PMEMOBJ_NOT_FOUND: the folder above is missing', () => {
    fails(() => Pool.open(path.join(folder.next(), 'pool')), 'PMEMOBJ_NOT_FOUND')
  })

  it('PMEMOBJ_EXISTS: there is one, and a new one is wanted', () => {
    const location = create()
    fails(() => Pool.open(location, { errorIfExists: true }), 'PMEMOBJ_EXISTS')
    Pool.open(location).close()
  })

  it('PMEMOBJ_NOT_A_POOL: another file', () => {
    for (const content of ['', 'hello', Buffer.alloc(16 * 2 ** 20), Buffer.alloc(16 * 2 ** 20, 'PMEMOBJ')]) {
      const location = folder.next()
      fs.writeFileSync(location, content)
      fails(() => Pool.open(location), 'PMEMOBJ_NOT_A_POOL')
      assert.ok(fs.readFileSync(location).equals(Buffer.from(content)), 'the file is left as it was')
      fails(() => Pool.destroy(location), 'PMEMOBJ_NOT_A_POOL')
      assert.ok(fs.existsSync(location))
    }
  })

  it('PMEMOBJ_NOT_A_POOL: a folder with other files', () => {
    const location = folder.next()
    fs.mkdirSync(location)
    fs.writeFileSync(path.join(location, 'letter.txt'), 'dear')
    fails(() => Pool.open(location), 'PMEMOBJ_NOT_A_POOL')
    fails(() => Pool.destroy(location), 'PMEMOBJ_NOT_A_POOL')
    assert.deepStrictEqual(fs.readdirSync(location), ['letter.txt'])
  })

  it('PMEMOBJ_IN_USE: this process has it open', () => {
    const location = folder.next()
    const pool = Pool.open(location)
    fails(() => Pool.open(location), 'PMEMOBJ_IN_USE')
    fails(() => Pool.destroy(location), 'PMEMOBJ_IN_USE')
    pool.close()
    Pool.open(location).close()
  })

  it('PMEMOBJ_IN_USE: another process has it open', async () => {
    const location = create()
    const child = start('const pool = Pool.open(process.argv[1]); console.log("open"); process.stdin.on("end", () => pool.close()).resume()', [location])
    await new Promise(resolve => child.stdout.once('data', resolve))
    fails(() => Pool.open(location), 'PMEMOBJ_IN_USE')
    child.stdin.end()
    await new Promise(resolve => child.once('exit', resolve))
    Pool.open(location).close()
  })

  it('PMEMOBJ_NO_SPACE: the pool is full, and goes on with what it has', () => {
    const pool = Pool.open(folder.next(), { size: LEAST, maxSize: 0 })
    const map = pool.map('numbers')
    const value = Buffer.alloc(100_000)
    let count = 0
    fails(() => { for (;; count++) map.put(String(count), value) }, 'PMEMOBJ_NO_SPACE')
    assert.ok(count > 10, `${count} values`)
    fails(() => map.put('x', Buffer.alloc(LEAST)), 'PMEMOBJ_NO_SPACE')
    for (let i = 0; i < count; i++) assert.strictEqual(map.get(String(i), { encoding: 'buffer' }).length, value.length)
    map.clear({ limit: Math.ceil(count / 2) })
    map.put('y', value)
    assert.strictEqual(map.has('y'), true)
    pool.close()
  })

  it('a full pool keeps room for deleting, half of it for puts that lead to more room', async () => {
    const pool = Pool.open(folder.next(), { size: LEAST, maxSize: 0 })
    const map = pool.map('numbers')
    for (const bytes of [100_000, 10_000, 1000, 100, 10]) {
      fails(() => { for (let i = 0; ; i++) map.put(`${bytes} ${i}`, Buffer.alloc(bytes)) }, 'PMEMOBJ_NO_SPACE')
    }
    const marks = (name, count) => Array.from({ length: count }, (_, i) => ['put', `${name} ${i}`, Buffer.alloc(1000)]).flat()
    const written = async (operations, options) => {
      try {
        await map.batchAsync(operations, options)
        return true
      } catch (error) {
        assert.strictEqual(error.code, 'PMEMOBJ_NO_SPACE')
        return false
      }
    }
    assert.strictEqual(await written(marks('ordinary', 20)), false)
    assert.strictEqual(await written(marks('half', 20), { kept: 'half' }), true)
    assert.strictEqual(await written(marks('more', 200), { kept: 'half' }), false)
    while (await written(marks(`rest ${Math.random()}`, 5), { kept: 'half' }));
    assert.strictEqual(await written(marks('all', 20), { kept: 'all' }), true)
    map.clear({ limit: 1000 })
    map.put('x', Buffer.alloc(1000))
    await assert.rejects(async () => map.batchAsync(['put', 'a', 'b'], { kept: 'more' }), TypeError)
    pool.close()
  })

  it('PMEMOBJ_PERMISSION: the operating system refuses', function () {
    if (process.getuid() === 0) return this.skip()
    const location = create({ size: LEAST, maxSize: 0 })
    fs.chmodSync(location, 0)
    fails(() => Pool.open(location), 'PMEMOBJ_PERMISSION')
  })

  it('PMEMOBJ_INVALID: a greatest size below the least', () => {
    fails(() => Pool.open(folder.next(), { maxSize: LEAST - 1 }), 'PMEMOBJ_INVALID')
  })

  it('PMEMOBJ_INVALID: a size above the greatest', () => {
    const location = folder.next()
    const above = (size, maxSize) => ({ code: 'PMEMOBJ_INVALID', message: `The size, ${size} bytes, is greater than the maxSize, ${maxSize} bytes` })
    assert.throws(() => Pool.open(location, { size: '64MiB', maxSize: '8MiB' }), above(2 ** 26, 2 ** 23))
    assert.throws(() => Pool.create(location, { size: 2 ** 40 }), above(2 ** 40, 2 ** 36))
    assert.strictEqual(fs.existsSync(location), false)
    Pool.create(location, { size: '16MiB', maxSize: '16MiB' }).close()
    Pool.open(location, { size: '64MiB', maxSize: '16MiB' }).close()
  })

  it('PMEMOBJ_INVALID: names of maps', () => {
    const pool = Pool.open(folder.next())
    fails(() => pool.map(''), 'PMEMOBJ_INVALID')
    fails(() => pool.map('x'.repeat(256)), 'PMEMOBJ_INVALID')
    assert.strictEqual(pool.map('x'.repeat(255)).name.length, 255)
    assert.throws(() => pool.dropMap('missing'), { code: 'PMEMOBJ_NOT_FOUND', message: 'There is no map "missing"' })
    pool.close()
  })

  it('PMEMOBJ_CLOSED: the pool, and all that came from it', () => {
    const pool = Pool.open(folder.next())
    const map = pool.map('a')
    const snapshot = pool.snapshot()
    const iterator = map.iterator()
    pool.close()
    pool.close()
    assert.strictEqual(pool.closed, true)
    const calls = [
      () => pool.map('a'), () => pool.maps(), () => pool.dropMap('a'), () => pool.write([]), () => pool.snapshot(),
      () => pool.stats(), () => map.get('a'), () => map.getMany(['a']), () => map.has('a'), () => map.hasMany(['a']),
      () => map.put('a', 'b'), () => map.del('a'), () => map.batch([]), () => map.clear(), () => map.iterator(),
      () => map.get('a', { snapshot }), () => iterator.nextv(1), () => iterator.seek('a')
    ]
    for (const call of calls) fails(call, 'PMEMOBJ_CLOSED')
    snapshot.close()
    iterator.close()
  })

  it('have an entry in the table of codes', () => {
    const readme = fs.readFileSync(path.join(__dirname, '../README.md'), 'utf8')
    const types = fs.readFileSync(path.join(__dirname, '../types/system.d.ts'), 'utf8')
    const rows = new Map([...readme.matchAll(/^\| `(PMEMOBJ_\w+)` \| (.+) \|$/gm)].map(([, code, meaning]) => [code, meaning]))
    assert.deepStrictEqual(Object.fromEntries(rows), codes)
    const typed = new Set([...types.matchAll(/'(PMEMOBJ_\w+)'/g)].map(([, code]) => code))
    assert.deepStrictEqual([...typed].sort(), Object.keys(codes).sort())
  })
})
