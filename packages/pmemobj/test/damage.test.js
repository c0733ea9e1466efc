'use strict'

const assert = require('node:assert')
const fs = require('node:fs')
const path = require('node:path')
const { Pool } = require('..')
const { temporaryFolder } = require('./temporary-folder')
const { run } = require('./child')

const SIZE = 8 * 2 ** 20
const PAGE = 4096

// A process of its own: what the file holds must not take the process with it.
const READ = `
  let result
  try {
    const pool = Pool.open(process.argv[1], { createIfMissing: false })
    const map = pool.map('a')
    map.get('key 7')
    const iterator = map.iterator()
    while (iterator.nextv(100).length !== 0);
    map.put('new', 'value')
    pool.close()
    result = 'fine'
  } catch (error) {
    result = error.code ?? error.stack
  }
  console.log(result)
`
const ANSWERS = ['fine', 'PMEMOBJ_CORRUPT', 'PMEMOBJ_NOT_A_POOL', 'PMEMOBJ_LAYOUT_VERSION']

describe('a damaged pool', function () {
  this.timeout(600_000)
  const folder = temporaryFolder()
  let good

  before(() => {
    good = folder.next()
    const pool = Pool.open(good, { size: SIZE, maxSize: 0 })
    const map = pool.map('a')
    for (let i = 0; i < 2000; i++) map.put(`key ${i}`, `value ${i} `.repeat(10))
    pool.close()
  })

  async function readDamaged (damage) {
    const bytes = fs.readFileSync(good)
    damage(bytes)
    const location = folder.next()
    fs.writeFileSync(location, bytes)
    const answer = (await run(READ, [location])).trim()
    fs.unlinkSync(location)
    return answer
  }

  it('is read where it is whole', async () => {
    assert.strictEqual(await readDamaged(() => {}), 'fine')
  })

  for (let page = 0; page < 4; page++) {
    it(`with nothing in page ${page} is refused`, async () => {
      const answer = await readDamaged(bytes => bytes.fill(0, page * PAGE, (page + 1) * PAGE))
      assert.ok(ANSWERS.includes(answer), answer)
    })
  }

  it('with bytes changed anywhere is read, or refused, and never ends the process', async () => {
    let seed = 1
    const random = limit => {
      seed = (seed * 1103515245 + 12345) % 2 ** 31
      return seed % limit
    }
    const answers = new Set()
    for (let round = 0; round < 25; round++) {
      answers.add(await readDamaged(bytes => {
        for (let i = 0; i < 400; i++) bytes[random(round % 2 === 0 ? bytes.length : 2 ** 20)] ^= 1 << random(8)
      }))
    }
    assert.deepStrictEqual([...answers].filter(answer => !ANSWERS.includes(answer)), [])
    assert.ok(answers.size > 1 || !answers.has('fine'), 'some damage was found')
  })

  it('that ends early is refused', async () => {
    for (const length of [0, 100, PAGE, 3 * PAGE, SIZE / 2]) {
      const location = folder.next()
      fs.copyFileSync(good, location)
      fs.truncateSync(location, length)
      const answer = (await run(READ, [location])).trim()
      assert.ok(ANSWERS.includes(answer) && answer !== 'fine', answer)
    }
  })

  it('may be destroyed where it still says that it is a pool', () => {
    const location = folder.next()
    Pool.open(location).close()
    fs.truncateSync(path.join(location, '000000.pmem'), PAGE * 2)
    assert.throws(() => Pool.open(location), { code: 'PMEMOBJ_CORRUPT' })
    Pool.destroy(location)
    assert.strictEqual(fs.existsSync(location), false)
  })

  it('leaves nothing in the way of another one where its removal was cut off', () => {
    const unlink = fs.unlinkSync
    try {
      for (const removed of [0, 1]) {
        const location = folder.next()
        Pool.open(location).close()
        let calls = 0
        fs.unlinkSync = name => {
          if (calls++ === removed) throw Object.assign(new Error('cut off'), { code: 'EIO' })
          unlink(name)
        }
        assert.throws(() => Pool.destroy(location))
        fs.unlinkSync = unlink
        const pool = Pool.open(location)
        pool.map('a').put('k', 'v')
        pool.close()
        Pool.destroy(location)
        assert.strictEqual(fs.existsSync(location), false)
      }
    } finally {
      fs.unlinkSync = unlink
    }
  })
})
