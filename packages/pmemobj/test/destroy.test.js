'use strict'

const assert = require('node:assert')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { Pool } = require('..')
const { run, start } = require('./child')
const { temporaryFolder } = require('./temporary-folder')

const KEY = Buffer.alloc(32, 9)
const OPEN = `
  const pool = Pool.open(process.argv[1], process.argv[2] === 'key' ? { key: Buffer.alloc(32, 9) } : {})
  pool.map('m').put('a', 'acknowledged')
  console.log('open')
  process.stdin.on('data', () => { pool.map('m').put('b', 'acknowledged'); pool.close(); process.exit() })`
const ATTEMPT = `
  try { Pool.open(process.argv[1], { key: process.argv[2] === 'key' ? Buffer.alloc(32, 9) : undefined }).close(); console.log('opens') } catch (error) { console.log(error.code) }`

describe('A pool that is being destroyed', () => {
  const folder = temporaryFolder()

  /** Calls `during` once, when the pool's set is no longer one, and nothing else has gone. */
  function whileDestroyed (location, during) {
    const { readdirSync } = fs
    fs.readdirSync = (...args) => {
      fs.readdirSync = readdirSync
      during()
      return readdirSync(...args)
    }
    try {
      return Pool.destroy(location)
    } finally {
      fs.readdirSync = readdirSync
    }
  }

  function attempt (location, ...args) {
    const { spawnSync } = require('node:child_process')
    const index = JSON.stringify(require.resolve('..'))
    return String(spawnSync(process.execPath, ['-e', `const { Pool } = require(${index})\n${ATTEMPT}`, location, ...args]).stdout).trim()
  }

  it('has to be there', () => {
    const location = folder.next()
    assert.throws(() => Pool.destroy(location), { code: 'PMEMOBJ_NOT_FOUND', message: `The pool ${location} does not exist` })
  })

  it('goes with the link that led to it', () => {
    const [location, link] = [folder.next(), folder.next()]
    Pool.open(location).close()
    fs.symlinkSync(location, link)
    Pool.destroy(link)
    assert.deepStrictEqual([fs.existsSync(location), fs.lstatSync(link, { throwIfNoEntry: false })], [false, undefined])
  })

  it('cannot be made anew meanwhile', () => {
    const location = folder.next()
    Pool.open(location).close()
    let answer
    assert.strictEqual(whileDestroyed(location, () => { answer = attempt(location) }), true)
    assert.strictEqual(answer, 'PMEMOBJ_IN_USE')
    assert.strictEqual(fs.existsSync(location), false)
    assert.strictEqual(attempt(location), 'opens')
  })

  it('cannot be opened meanwhile, where it is destroyed without its key', () => {
    for (const maxSize of [0, 2 ** 28]) {
      const location = folder.next()
      Pool.open(location, { key: KEY, maxSize }).close()
      let answer
      const { existsSync, unlinkSync } = fs
      const during = original => (...args) => {
        Object.assign(fs, { existsSync, unlinkSync })
        answer = attempt(location, 'key')
        return original(...args)
      }
      Object.assign(fs, { existsSync: during(existsSync), unlinkSync: during(unlinkSync) })
      try {
        assert.strictEqual(Pool.destroy(location), true)
      } finally {
        Object.assign(fs, { existsSync, unlinkSync })
      }
      assert.strictEqual(answer, 'PMEMOBJ_IN_USE')
      assert.strictEqual(fs.existsSync(location), false)
    }
  })

  it('is not, where another process has it open, whatever key is given', async () => {
    for (const [options, ...args] of [[{}], [{ key: KEY }, 'key']]) {
      const location = folder.next()
      Pool.open(location, options).close()
      const child = start(OPEN, [location, ...args])
      await once(child.stdout, 'data')
      assert.throws(() => Pool.destroy(location), { code: 'PMEMOBJ_IN_USE' })
      child.stdin.write('go on')
      await once(child, 'exit')
      const pool = Pool.open(location, { ...options, createIfMissing: false })
      assert.deepStrictEqual(['a', 'b'].map(key => pool.map('m').get(key)), ['acknowledged', 'acknowledged'])
      pool.close()
    }
  })

  it('leaves nothing that cannot be destroyed, or made a pool of', async () => {
    for (const name of ['pool.set', 'pool.set.draft']) {
      for (const remedy of [location => Pool.destroy(location), location => Pool.open(location).close()]) {
        const location = folder.next()
        Pool.open(location).close()
        fs.renameSync(path.join(location, 'pool.set'), path.join(location, name))
        fs.unlinkSync(path.join(location, '000000.pmem'))
        assert.throws(() => Pool.open(location, { createIfMissing: false }), { code: 'PMEMOBJ_NOT_A_POOL' })
        remedy(location)
        await run("Pool.open(process.argv[1]).map('m').put('a', 'b')", [location])
        Pool.destroy(location)
        assert.strictEqual(fs.existsSync(location), false)
      }
    }
  })

  it('leaves alone what may be data, or belongs to others', () => {
    const location = folder.next()
    Pool.open(location).close()
    fs.unlinkSync(path.join(location, 'pool.set'))
    fs.truncateSync(path.join(location, '000000.pmem'), 4096)
    assert.throws(() => Pool.open(location), { code: 'PMEMOBJ_CORRUPT' })
    assert.deepStrictEqual(fs.readdirSync(location), ['000000.pmem'])
    const other = folder.next()
    fs.mkdirSync(other)
    fs.writeFileSync(path.join(other, 'pool.set'), 'PMEMPOOLSET\n8M /elsewhere/part\n')
    assert.throws(() => Pool.destroy(other), { code: 'PMEMOBJ_NOT_A_POOL' })
    assert.throws(() => Pool.open(other), { code: 'PMEMOBJ_NOT_A_POOL' })
    assert.match(fs.readFileSync(path.join(other, 'pool.set'), 'utf8'), /elsewhere/)
  })
})
