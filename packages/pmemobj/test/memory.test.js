'use strict'

const assert = require('node:assert')
const { spawnSync } = require('node:child_process')
const path = require('node:path')
const { Pool } = require('..')
const { temporaryFolder } = require('./temporary-folder')

/** Begins each program: `limit(bytes)` is how much more address space the process may take. */
const PRELUDE = `
  const { Pool, check } = require(${JSON.stringify(path.join(__dirname, '..'))})
  const { spawnSync } = require('node:child_process')
  const { readFileSync } = require('node:fs')
  const folder = process.argv[1]
  const pool = Pool.open(folder, { maxSize: 2 ** 30 })
  const map = pool.map('map')
  const MIB = 2 ** 20
  function limit (bytes) {
    const [, size] = /VmSize:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))
    const most = bytes === Infinity ? 'unlimited' : size * 1024 + bytes
    spawnSync('prlimit', ['--pid', process.pid, '--as=' + most + ':unlimited'])
  }
  async function codeOf (action) {
    try {
      await action()
      return 'none'
    } catch (error) {
      return error.code
    }
  }
`

/** Runs a program, the body of an async function, and gives what it returns. */
function run (folder, program) {
  const source = `${PRELUDE}; (async () => { ${program} })().then(result => {
    pool.close()
    console.log(JSON.stringify(result))
  })`
  const done = spawnSync(process.execPath, ['-e', source, folder], { encoding: 'utf8' })
  assert.strictEqual(done.status, 0, `${done.signal} ${done.stderr}`)
  return JSON.parse(done.stdout)
}

describe('a process without memory', function () {
  this.timeout(600_000)
  const folder = temporaryFolder()

  before(function () {
    if (spawnSync('prlimit', ['--version']).status !== 0) this.skip()
  })

  it('has a big write refused, and goes on with what there was', () => {
    const path = folder.next()
    const result = run(path, `
      map.put('kept', 'value')
      const value = Buffer.alloc(200 * MIB)
      limit(100 * MIB)
      const code = await codeOf(() => map.putAsync('big', value))
      const meanwhile = [map.get('kept'), map.get('big') === undefined]
      map.put('small', 'value')
      limit(Infinity)
      await map.putAsync('big', value.subarray(0, 10 * MIB))
      return { code, meanwhile }`)
    assert.deepStrictEqual(result, { code: 'PMEMOBJ_NO_MEMORY', meanwhile: ['value', true] })
    const pool = Pool.open(path)
    const map = pool.map('map')
    assert.deepStrictEqual(['big', 'kept', 'small'].map(key => map.has(key)), [true, true, true])
    pool.close()
  })

  it('has another pool refused, which opens later', () => {
    const other = folder.next()
    Pool.open(other, { maxSize: 2 ** 32 }).close()
    const result = run(folder.next(), `
      limit(100 * MIB)
      const code = await codeOf(() => Pool.open(${JSON.stringify(other)}))
      limit(Infinity)
      Pool.open(${JSON.stringify(other)}).close()
      return { code }`)
    assert.deepStrictEqual(result, { code: 'PMEMOBJ_NO_MEMORY' })
  })
})
