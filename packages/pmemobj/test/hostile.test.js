'use strict'

const assert = require('node:assert')
const fs = require('node:fs')
const path = require('node:path')
const zlib = require('node:zlib')
const { check, Pool } = require('..')
const { contentsOf, gather } = require('./contents')
const { hostileBytes, hostileEntries } = require('./hostile-bytes')
const { temporaryFolder } = require('./temporary-folder')

const NAMES = ['VERSION=3', 'DATA=END', '\nDATA=END\n', 'HEADER=END\n key', 'database=m', '\\00undo', '\\', 'PotBckup\u0001\u0000\u0000\u0000', 'PotSeald', 'Potoroo\u0000', '__proto__', 'constructor', '../../up']
const REFUSED = /^PMEMOBJ_(NOT_A_BACKUP|BACKUP_DAMAGED|BACKUP_VERSION|WRONG_KEY|KEY_NEEDED|BAD_DUMP|NO_SPACE)$/
const key = Buffer.alloc(32, 'a key')

/** Bytes of a stream, in chunks that end anywhere. */
function chunksOf (bytes, size = 100_003) {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size))
}

/** The beginnings of the parts of a backup, and its end: its header, and its frames or chunks. */
function boundariesOf (backup) {
  const sealed = backup.toString('latin1', 0, 8) === 'PotSeald'
  const places = [0]
  for (let at = sealed ? 48 : 64; at < backup.length;) {
    places.push(at)
    at += sealed ? 4 + (backup.readUInt32LE(at) & 0x7fffffff) + 16 : 12 + backup.readUInt32LE(at + 4)
  }
  return [...places, backup.length]
}

/** Numbers that are the same each time. */
function chance (seed) {
  return below => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    return Math.floor(seed / 2 ** 32 * below)
  }
}

describe('hostile keys, values and names', function () {
  this.timeout(600_000)
  const folder = temporaryFolder()
  let all, entries, pool, contents

  before(async () => {
    fs.mkdirSync(folder.path, { recursive: true })
    all = await hostileBytes(folder.path)
    entries = hostileEntries(all)
    assert.ok(entries.length > 100 && entries.some(([key]) => key.length > 20_000))
    pool = filled()
    contents = contentsOf(pool)
  })

  after(() => pool.close())

  function filled (options) {
    const made = Pool.create(folder.next(), { maxSize: '1 GiB', ...options })
    for (const [key, value] of entries) made.map('map').put(key, value)
    for (const name of NAMES) made.map(name).put(name, name)
    made.root = { text: all['header of a dump'].toString('latin1'), list: NAMES, bytes: all['root slot'].toString('latin1') }
    return made
  }

  function assertSame (location, options) {
    const copy = Pool.open(location, { createIfMissing: false, ...options })
    assert.deepStrictEqual(contentsOf(copy), contents)
    assert.deepStrictEqual([copy.root.text, [...copy.root.list]], [pool.root.text, NAMES])
    copy.close()
    Pool.destroy(location)
  }

  /** Gives what comes of it: a code, or undefined where it was taken, and is a sound pool then. */
  async function codeOf (make, options) {
    const location = folder.next()
    let code
    await make(location).catch(error => { code = error.code ?? error.stack })
    if (code === undefined) {
      const report = await check(location, options)
      assert.deepStrictEqual(report.problems, [])
      Pool.destroy(location)
    }
    assert.deepStrictEqual(fs.readdirSync(folder.path).filter(name => name.startsWith(path.basename(location))), [])
    return code
  }

  async function assertRefused (make) {
    assert.match(String(await codeOf(make)), REFUSED)
  }

  it('are in a pool as they were put', () => {
    const map = pool.map('map')
    for (const [key, value] of entries) assert.ok(map.get(key, { encoding: 'buffer' }).equals(value), key.toString('latin1', 0, 40))
    assert.deepStrictEqual(pool.maps().sort(), ['map', ...NAMES].sort())
  })

  it('come back from a backup, also from one of a backup', async () => {
    const location = folder.next()
    await Pool.restore(location, pool.backup())
    const copy = Pool.open(location)
    copy.map('map').put('backup', await gather(copy.backup()))
    const nested = await gather(copy.backup())
    const inner = copy.map('map').get('backup', { encoding: 'buffer' })
    copy.close()
    Pool.destroy(location)
    const outer = folder.next()
    await Pool.restore(outer, chunksOf(nested))
    const again = Pool.open(outer)
    assert.ok(again.map('map').get('backup', { encoding: 'buffer' }).equals(inner))
    again.map('map').del('backup')
    again.close()
    assertSame(outer)
    await Pool.restore(location, chunksOf(inner))
    assertSame(location)
  })

  it('come back from a backup that is encrypted, and of a pool that is', async () => {
    const sealed = filled({ key })
    const backup = await gather(sealed.backup())
    sealed.close()
    for (const bytes of [backup, await gather(pool.backup())]) {
      const location = folder.next()
      await Pool.restore(location, chunksOf(bytes), { key })
      assertSame(location, { key })
    }
  })

  for (const format of /** @type {const} */ (['bytevalue', 'print'])) {
    it(`come back from a dump of the format ${format}`, async () => {
      const location = folder.next()
      await Pool.load(location, chunksOf(await gather(pool.dump({ format }))))
      assertSame(location)
    })
  }

  describe('in a backup that is damaged', () => {
    let small, sealed

    /** Backups within values of backups, in frames of entries and in pieces. */
    before(async () => {
      const make = async options => {
        const made = Pool.create(folder.next(), options)
        const map = made.map('map')
        for (const name of ['header of a backup', 'end of a backup', 'frames of a backup', 'backup', 'encrypted backup']) map.put(name, all[name])
        map.put('long', Buffer.concat(Array(20).fill(all.backup)))
        made.map('other').put('nested', await gather(made.backup()))
        const backup = await gather(made.backup())
        made.close()
        return backup
      }
      small = await make({})
      sealed = await make({ key })
    })

    it('are refused where it ends early: at every boundary of its own, and of those within it', async () => {
      const within = []
      for (let at = small.indexOf('PotBckup', 1); at !== -1; at = small.indexOf('PotBckup', at + 1)) within.push(at)
      assert.ok(within.length > 20)
      const places = [...boundariesOf(small).slice(0, -1), ...within.slice(0, 10)]
      for (const at of places) for (const end of [at, at + 1, at + 12]) await assertRefused(location => Pool.restore(location, chunksOf(small.subarray(0, end))))
      for (const at of boundariesOf(sealed).slice(0, -1)) for (const end of [at, at + 4, at + 19]) await assertRefused(location => Pool.restore(location, chunksOf(sealed.subarray(0, end)), { key }))
    })

    it('are never taken for its own frames', async () => {
      // The backup within the backup is a whole one; what follows it is not.
      for (const at of [small.indexOf('PotBckup', 1), small.indexOf('PotSeald', 1)]) await assertRefused(location => Pool.restore(location, chunksOf(small.subarray(at)), { key }))
      const inner = boundariesOf(all.backup).slice(1, -1).map((at, i, all) => [at, all[i + 1]])
      for (const [from, to] of inner) {
        const frame = all.backup.subarray(from, to)
        for (const at of boundariesOf(small)) await assertRefused(location => Pool.restore(location, [small.subarray(0, at), frame, small.subarray(at)]))
      }
    })

    it('are refused where lengths lie, whether checksums hold or not', async () => {
      const LIES = [0, 12, 0x100001, 0xffffffff]
      for (const at of boundariesOf(small).slice(1, -1)) {
        for (const lie of LIES) {
          const lying = Buffer.from(small)
          if (lying.readUInt32LE(at + 4) === lie) continue
          lying.writeUInt32LE(lie, at + 4)
          await assertRefused(location => Pool.restore(location, chunksOf(lying)))
          await assertRefused(location => Pool.restore(location, chunksOf(resealed(lying))))
        }
      }
      for (const at of boundariesOf(sealed).slice(1, -1)) {
        for (const lie of LIES) {
          const lying = Buffer.from(sealed)
          if (lying.readUInt32LE(at) === lie) continue
          lying.writeUInt32LE(lie, at)
          await assertRefused(location => Pool.restore(location, chunksOf(lying), { key }))
        }
      }
    })

    it('leave a sound pool or none, whatever is changed, though checksums hold', async () => {
      const random = chance(1)
      let refused = 0
      for (let round = 0; round < 50; round++) {
        const changed = Buffer.from(small)
        for (let i = random(4); i >= 0; i--) {
          const places = boundariesOf(small)
          const at = places[random(places.length)] + random(40)
          if (at < changed.length) changed[at] = [0, 1, 255, random(256)][random(4)]
        }
        const code = await codeOf(location => Pool.restore(location, chunksOf(resealed(changed))))
        if (code === undefined) continue
        assert.match(code, REFUSED)
        refused++
      }
      assert.ok(refused > 15, `${refused}`)
    })
  })

  it('in a dump that ends early are refused, or are those of the maps before', async () => {
    const made = Pool.create(folder.next())
    made.map('a').put('header of a dump', all['header of a dump'])
    made.map('b').put(all['end of a dump'], all['header of a backup'])
    for (const format of /** @type {const} */ (['bytevalue', 'print'])) {
      const dump = await gather(made.dump({ format }))
      const second = dump.lastIndexOf('\nVERSION=3\n') + 1
      for (let end = 0; end <= second; end += end > second - 12 ? 1 : 7) {
        const code = await codeOf(location => Pool.load(location, [dump.subarray(0, end)]))
        assert.strictEqual(code, end === second ? undefined : 'PMEMOBJ_BAD_DUMP', `${end}`)
      }
    }
    made.close()
  })

  it('are refused as backups and dumps that they are not', async () => {
    for (const [name, bytes] of Object.entries(all)) {
      const code = await codeOf(location => Pool.restore(location, chunksOf(bytes)))
      assert.strictEqual(code === undefined, name === 'backup', name)
      if (code !== undefined) assert.match(code, REFUSED)
      const other = await codeOf(location => Pool.load(location, chunksOf(bytes)))
      assert.strictEqual(other === undefined, /^dump/.test(name), name)
      if (other !== undefined) assert.match(other, REFUSED)
    }
  })
})

/** The same with checksums that hold, as far as frames follow each other. */
function resealed (backup) {
  const bytes = Buffer.from(backup)
  let crc = zlib.crc32(bytes.subarray(0, 60))
  bytes.writeUInt32LE(crc, 60)
  for (let at = 64; at + 12 <= bytes.length;) {
    const end = at + 12 + bytes.readUInt32LE(at + 4)
    if (end > bytes.length) break
    crc = zlib.crc32(bytes.subarray(at + 12, end), zlib.crc32(bytes.subarray(at, at + 8), crc))
    bytes.writeUInt32LE(crc, at + 8)
    at = end
  }
  return bytes
}
