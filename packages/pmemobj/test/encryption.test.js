'use strict'

const assert = require('node:assert')
const { execFileSync, spawnSync } = require('node:child_process')
const { randomBytes } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { Readable } = require('node:stream')
const { buffer } = require('node:stream/consumers')
const { check, Pool, readKeyFile, salvage } = require('..')
const { temporaryFolder } = require('./temporary-folder')

const COMMAND = path.join(__dirname, '..', 'bin', 'pmemobj.js')
const NEEDLE = 'nobody is to read this'
const SIZES = [30, 300, 5000, 40_000, 2 ** 20, 5 * 2 ** 20]

const secretOf = size => NEEDLE.repeat(Math.ceil(size / NEEDLE.length)).slice(0, size)

function filesOf (place) {
  if (!fs.statSync(place).isDirectory()) return [place]
  return fs.readdirSync(place).map(name => path.join(place, name))
}

/** Whether a file, or one in a folder, has it as it is. */
const shows = place => filesOf(place).some(file => fs.readFileSync(file).includes(NEEDLE))

describe('a pool that is encrypted', () => {
  const folder = temporaryFolder()
  const temporary = () => folder.path
  const key = randomBytes(32)
  const other = randomBytes(32)
  let location

  function fill (pool) {
    const map = pool.map('map')
    for (const size of SIZES) map.put(`${NEEDLE} ${size}`, secretOf(size))
    pool.root = { text: secretOf(100) }
  }

  function assertFilled (pool) {
    const map = pool.map('map')
    for (const size of SIZES) assert.strictEqual(map.get(`${NEEDLE} ${size}`), secretOf(size))
    assert.strictEqual(pool.root.text, secretOf(100))
  }

  beforeEach(() => {
    location = path.join(temporary(), `pool-${randomBytes(4).toString('hex')}`)
    const pool = Pool.create(location, { key, maxSize: '1 GiB' })
    fill(pool)
    pool.close()
  })

  function open (options) {
    return Pool.open(location, { createIfMissing: false, ...options })
  }

  it('shows nothing of what it has, and has it all with its key', () => {
    assert.ok(!shows(location))
    const pool = open({ key })
    assertFilled(pool)
    pool.close()
  })

  it('keeps no more in memory of what it has decrypted than it may, however it is read', () => {
    const COUNT = 48
    const most = 4 * 2 ** 20
    const read = pool => {
      const map = pool.map('many')
      for (let i = 0; i < COUNT; i++) assert.strictEqual(map.get(`key ${i}`), secretOf(2 ** 20 + i))
      return pool.stats().decrypted
    }
    const filled = open({ key })
    for (let i = 0; i < COUNT; i++) filled.map('many').put(`key ${i}`, secretOf(2 ** 20 + i))
    filled.close()
    for (const readOnly of [false, true]) {
      const pool = open({ key, readOnly, decryptedMemory: '2 MiB' })
      const decrypted = read(pool)
      assert.ok(decrypted <= most, `${decrypted} bytes`)
      pool.close()
    }
    const pool = open({ key })
    assert.ok(read(pool) > 10 * most)
    pool.close()
  })

  it('refuses to open without its key, or with another one', () => {
    assert.throws(() => open({}), { code: 'PMEMOBJ_KEY_NEEDED' })
    assert.throws(() => open({ key: other }), { code: 'PMEMOBJ_WRONG_KEY' })
    assert.throws(() => open({ key: 'text' }), TypeError)
    assert.throws(() => open({ key: key.subarray(1) }), TypeError)
    const plain = `${location}-plain`
    Pool.create(plain).close()
    assert.throws(() => Pool.open(plain, { key }), { code: 'PMEMOBJ_NOT_ENCRYPTED' })
  })

  it('opens with another key once that was changed', () => {
    const pool = open({ key })
    pool.rotateKey(other)
    assert.throws(() => pool.rotateKey(Buffer.from('short')), TypeError)
    assertFilled(pool)
    pool.close()
    assert.throws(() => open({ key }), { code: 'PMEMOBJ_WRONG_KEY' })
    const again = open({ key: other })
    assertFilled(again)
    again.close()
  })

  it('has no ArrayBuffers', () => {
    const { PersistentArrayBuffer } = require('..')
    const pool = open({ key })
    assert.throws(() => { pool.root.buffer = pool.create(new ArrayBuffer(10)) }, { code: 'PMEMOBJ_ENCRYPTED' })
    assert.throws(() => new PersistentArrayBuffer(pool, 10), { code: 'PMEMOBJ_ENCRYPTED' })
    assertFilled(pool)
    pool.close()
  })

  it('is checked and salvaged with its key', async () => {
    await assert.rejects(check(location), { code: 'PMEMOBJ_KEY_NEEDED' })
    assert.strictEqual((await check(location, { key })).sound, true)
    const to = `${location}-salvaged`
    await assert.rejects(salvage(location, to, { key: other }), { code: 'PMEMOBJ_WRONG_KEY' })
    const report = await salvage(location, to, { key })
    assert.strictEqual(report.lost, false)
    assert.ok(!shows(to))
    const pool = Pool.open(to, { key })
    assertFilled(pool)
    pool.close()
  })

  it('is removed without its key', () => {
    Pool.destroy(location)
    assert.ok(!fs.existsSync(location))
  })

  describe('its backup', () => {
    let backup

    beforeEach(async () => {
      const pool = open({ key })
      backup = await buffer(pool.backup())
      pool.close()
    })

    const restored = async (bytes, options) => {
      const to = `${location}-${randomBytes(4).toString('hex')}`
      await Pool.restore(to, Readable.from([bytes]), options)
      return to
    }

    it('shows nothing either, and is restored with the key', async () => {
      assert.ok(backup.length > 6 * 2 ** 20 && !backup.includes(NEEDLE))
      const to = await restored(backup, { key })
      assert.ok(!shows(to))
      const pool = Pool.open(to, { key })
      assertFilled(pool)
      pool.close()
    })

    it('is not restored without the key, or with another one', async () => {
      await assert.rejects(restored(backup), { code: 'PMEMOBJ_KEY_NEEDED' })
      await assert.rejects(restored(backup, { key: other }), { code: 'PMEMOBJ_WRONG_KEY' })
    })

    it('is other bytes each time', async () => {
      const pool = open({ key })
      const another = await buffer(pool.backup())
      pool.close()
      assert.strictEqual(another.length, backup.length)
      assert.ok(!another.subarray(48).subarray(0, 1000).equals(backup.subarray(48).subarray(0, 1000)))
    })

    it('is refused where a byte is changed, or it ends early, or chunks are exchanged', async () => {
      for (const at of [8, 20, 48, 60, 4000, backup.length - 1]) {
        const damaged = Buffer.from(backup)
        damaged[at] ^= 1
        await assert.rejects(restored(damaged, { key }), { code: /^PMEMOBJ_(BACKUP_DAMAGED|BACKUP_VERSION|WRONG_KEY)$/ }, `byte ${at}`)
      }
      const chunks = []
      for (let at = 48; at < backup.length;) {
        const end = at + 4 + (backup.readUInt32LE(at) & 0x7fffffff) + 16
        chunks.push(backup.subarray(at, end))
        at = end
      }
      const joined = list => Buffer.concat([backup.subarray(0, 48), ...list])
      const [first, second, ...rest] = chunks
      assert.ok(rest.length > 3)
      for (const list of [[first, second], chunks.slice(0, -1), [first, ...rest], [second, first, ...rest], [first, second, second, ...rest]]) {
        await assert.rejects(restored(joined(list), { key }), { code: /^PMEMOBJ_(BACKUP_DAMAGED|WRONG_KEY)$/ })
      }
      await assert.rejects(restored(Buffer.concat([backup, Buffer.from('x')]), { key }), { code: 'PMEMOBJ_BACKUP_DAMAGED' })
    })

    it('of a pool that is not encrypted becomes one that is', async () => {
      const plain = `${location}-plain`
      const pool = Pool.create(plain)
      fill(pool)
      const bytes = await buffer(pool.backup())
      pool.close()
      assert.ok(bytes.includes(NEEDLE))
      assert.ok(!shows(await restored(bytes, { key })))
    })
  })

  describe('on the command line', () => {
    const keyFile = (name, bytes, mode = 0o600) => {
      const file = path.join(temporary(), `${name}-${randomBytes(4).toString('hex')}`)
      fs.writeFileSync(file, bytes, { mode })
      fs.chmodSync(file, mode)
      return file
    }
    const run = (...words) => execFileSync(process.execPath, [COMMAND, ...words], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 2 ** 26 })
    const fails = (...words) => {
      const { status, stderr } = spawnSync(process.execPath, [COMMAND, ...words], { encoding: 'utf8' })
      assert.strictEqual(status, 2)
      return stderr
    }

    it('is read with --key-file, and its key changed', () => {
      const file = keyFile('key', key)
      const next = keyFile('next', `${other.toString('hex')}\n`)
      assert.match(fails('info', location), /encrypted: a key is needed/)
      assert.match(run('info', location, '--key-file', file), /map/)
      assert.match(run('check', location, '--key-file', file), /is sound/)
      const backup = path.join(temporary(), 'backup')
      run('backup', location, backup, '--key-file', file, '-q')
      assert.ok(!shows(backup))
      run('restore', backup, `${location}-again`, '--key-file', file, '-q')
      assert.ok(run('dump', '-p', `${location}-again`, '--key-file', file, '-q').includes(NEEDLE))
      run('compact', location, '--key-file', file)
      assert.strictEqual(run('rotate-key', location, '--key-file', file, '--new-key-file', next), `${location}: ${next} is the key from now on, and ${file} opens it no longer\n`)
      assert.match(fails('check', location, '--key-file', file), /another key/)
      assert.match(run('check', location, '--key-file', next), /is sound/)
    })

    it('takes no key file that all may read, or that holds no key', () => {
      assert.throws(() => readKeyFile(keyFile('key', key, 0o644)), { code: 'PMEMOBJ_PERMISSION' })
      assert.throws(() => readKeyFile(keyFile('key', 'too short')), { code: 'PMEMOBJ_INVALID' })
      assert.throws(() => readKeyFile(path.join(temporary(), 'none')), { code: 'PMEMOBJ_NOT_FOUND' })
      assert.deepStrictEqual(readKeyFile(keyFile('key', key, 0o640)), key)
    })
  })
})
