'use strict'

const assert = require('node:assert')
const { spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { check } = require('../..')
const { build, simulator } = require('./native/build')
const { randomFrom } = require('./random')
const { openBoth, problemOf } = require('./two-pools')

// KILLS says how often, KILL_SEED with which seed; POWER_SECONDS how long power fails on each kind of media.
const KILLS = Number(process.env.KILLS ?? 12)
const SEED = Number(process.env.KILL_SEED ?? Date.now() % 1e6)
const SECONDS = Number(process.env.POWER_SECONDS ?? 3)
// Calls that write after which the process is killed, one after the other: each point of several transactions.
const CALLS = 24
// Transactions after which a process is killed, at most.
const MOST = 200

const program = require.resolve('./two-pools')
const lastOf = text => Number(text.split('\n').at(-2) ?? 0)

describe('a transaction over two pools', () => {
  let folder
  beforeEach(() => { folder = fs.mkdtempSync(path.join(os.tmpdir(), 'two-pools-')) })
  afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))

  /** Checks what there is, by a process that opens the pools in some order. @returns {number} transfers that are there */
  const verify = (random, acknowledged, what) => {
    const pools = openBoth(folder, {}, random() < 0.5 ? ['a', 'b'] : ['b', 'a'])
    assert.strictEqual(problemOf(pools), undefined, what)
    const { done } = pools[0].root
    assert.ok(done >= acknowledged, `${what}: ${done} transfers, though ${acknowledged} were acknowledged`)
    for (const pool of pools) {
      if (random() < 0.2) pool.collect()
      pool.close()
    }
  }

  it(`is in both or in none, wherever the process is killed between writes (seed ${SEED})`, () => {
    const random = randomFrom(SEED)
    for (let calls = 1; calls <= CALLS; calls++) {
      const { signal, stdout, stderr } = spawnSync(process.execPath, [program, folder, String(SEED + calls), String(calls)], { encoding: 'utf8' })
      assert.strictEqual(signal, 'SIGKILL', stderr)
      verify(random, lastOf(stdout), `killed after ${calls} calls`)
    }
  }).timeout(600_000)

  it(`is in both or in none, whenever the process is killed (seed ${SEED})`, async () => {
    const random = randomFrom(SEED)
    for (let round = 0; round < KILLS; round++) {
      const child = spawn(process.execPath, [program, folder, String(SEED + round)], { stdio: ['ignore', 'pipe', 'inherit'] })
      const exit = once(child, 'exit')
      const count = 1 + Math.floor(random() * MOST)
      let text = ''
      child.stdout.setEncoding('utf8').on('data', more => {
        text += more
        if (text.split('\n').length > count) child.kill('SIGKILL')
      })
      await once(child, 'close')
      assert.strictEqual((await exit)[1], 'SIGKILL')
      for (const name of ['a', 'b']) assert.strictEqual((await check(path.join(folder, name))).problemCount, 0)
      verify(random, lastOf(text), `round ${round}`)
    }
  }).timeout(600_000 + 5000 * KILLS)

  describe('whose power fails', () => {
    before(function () {
      this.timeout(900_000)
      build()
    })

    for (const [name, disk, durability] of [['persistent memory', false, 'strict'], ['a disk', true, 'strict'], ['a disk, relaxed', true, 'relaxed']]) {
      it(`is in both or in none: ${name}`, function () {
        const options = { folder, disk, durability, seconds: SECONDS, seed: SEED }
        const env = { ...process.env, LD_PRELOAD: simulator, PMEM_IS_PMEM_FORCE: disk ? '0' : '1' }
        const { status, stdout, stderr } = spawnSync(process.execPath, [require.resolve('./two-pools-power'), JSON.stringify(options)], { env, encoding: 'utf8' })
        assert.strictEqual(status, 0, `${stdout}\n${stderr}`)
        const { cuts, transfers, between } = JSON.parse(stdout)
        assert.ok(cuts > 10 && between > 0, stdout)
        this.test.title += ` (seed ${SEED}: ${transfers} transfers, ${cuts} cuts, ${between} of them between both pools)`
      }).timeout(600_000 + 2000 * SECONDS)
    }
  })
})
