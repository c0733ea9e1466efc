'use strict'

const assert = require('node:assert')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { check } = require('../..')
const { ACCOUNTS, LOG, MONEY, RECENT, openBank } = require('./bank')
const { randomFrom } = require('./random')
const { recordsFor, recordsIn } = require('./records')

// KILLS says how often, KILL_SEED with which seed.
const KILLS = Number(process.env.KILLS ?? 12)
const SEED = Number(process.env.KILL_SEED ?? Date.now() % 1e6)
// Transactions after which a process is killed, at most.
const MOST = 400

/**
 * Kills a process when it has acknowledged that many transactions more.
 *
 * @returns {Promise<number>} the last that it has acknowledged
 */
async function killed (location, seed, count) {
  const child = spawn(process.execPath, [require.resolve('./bank'), location, String(seed)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  let text = ''
  child.stdout.setEncoding('utf8').on('data', more => {
    text += more
    if (text.split('\n').length > count) child.kill('SIGKILL')
  })
  await once(child, 'close')
  const [, signal] = await exit
  assert.strictEqual(signal, 'SIGKILL')
  // The last line may be cut off.
  return Number(text.split('\n').at(-2) ?? 0)
}

/** @returns {number} transactions that are there, of which each is there as a whole */
function verify (pool) {
  const { accounts, balances, done, recent, owners } = pool.root
  const money = accounts.map(account => account.money)
  assert.strictEqual(money.reduce((sum, one) => sum + one), ACCOUNTS * MONEY)
  assert.deepStrictEqual([...balances], money)
  assert.deepStrictEqual(recent.map(entry => entry.number), Array.from({ length: Math.min(done, RECENT) }, (_, i) => Math.max(0, done - RECENT) + i + 1))
  const expected = new Array(ACCOUNTS).fill(MONEY)
  const last = new Map()
  for (let number = 1; number <= done; number++) {
    const [from, to, amount] = pool.map(LOG).get(String(number), { encoding: 'utf8' }).split(' ').map(Number)
    expected[from] -= amount
    expected[to] += amount
    last.set(to, number)
  }
  assert.strictEqual(pool.map(LOG).has(String(done + 1)), false)
  assert.deepStrictEqual(money, expected)
  assert.deepStrictEqual(new Map([...owners].map(([account, number]) => [account.number, number])), last)
  return done
}

describe('a process that is killed', () => {
  let folder
  before(() => { folder = fs.mkdtempSync(path.join(os.tmpdir(), 'kill-')) })
  after(() => fs.rmSync(folder, { recursive: true, force: true }))

  it(`leaves every transaction that it has acknowledged, each as a whole (seed ${SEED})`, async () => {
    const location = path.join(folder, 'pool')
    const random = randomFrom(SEED)
    for (let round = 0; round < KILLS; round++) {
      const acknowledged = await killed(location, SEED + round, 1 + Math.floor(random() * MOST))
      assert.strictEqual((await check(location)).problemCount, 0)
      const pool = openBank(location)
      const done = verify(pool)
      assert.ok(done >= acknowledged, `round ${round}: ${done} transactions, though ${acknowledged} were acknowledged`)
      if (random() < 0.2) {
        pool.collect()
        assert.deepStrictEqual(recordsIn(pool), recordsFor(pool.root))
      }
      pool.close()
    }
  }).timeout(600_000 + 5000 * KILLS)
})
