'use strict'

// A bank, whose process is killed: transactions move money between accounts, keep a record of it in an
// ordered map and in a list of objects, and change bytes of a buffer. Each is acknowledged on the
// standard output once it is durable.
//
//   bank.js POOL SEED

const fs = require('node:fs')
const { Pool } = require('../..')
const { randomFrom } = require('./random')

const ACCOUNTS = 10
const MONEY = 1000
const LOG = 'transfers'
// Entries of the list.
const RECENT = 20

/** A new one, or what a killed process has left. */
function openBank (location) {
  const pool = Pool.open(location, { size: 16 * 2 ** 20, maxSize: 0 })
  pool.root ??= {
    accounts: Array.from({ length: ACCOUNTS }, (_, number) => ({ number, money: MONEY })),
    owners: new Map(),
    done: 0,
    recent: [],
    balances: new Float64Array(ACCOUNTS).fill(MONEY)
  }
  return pool
}

/** One transfer, or half of one that is given up. */
function transfer (pool, random) {
  const { root } = pool
  const pick = () => Math.floor(random() * ACCOUNTS)
  const [from, to, amount] = [pick(), pick(), Math.floor(random() * 100)]
  const { accounts, balances, recent, owners } = root
  balances.buffer.snapshot(from * 8, 8)
  balances.buffer.snapshot(to * 8, 8)
  accounts[from].money -= amount
  balances[from] -= amount
  if (random() < 0.1) throw new RangeError('given up')
  accounts[to].money += amount
  balances[to] += amount
  const number = ++root.done
  recent.push({ number, from, to, amount, at: new Date(number), note: 'n'.repeat(random() < 0.1 ? 1000 : 10) })
  if (recent.length > RECENT) recent.shift()
  owners.set(accounts[to], number)
  pool.map(LOG).put(String(number), `${from} ${to} ${amount}`)
  return number
}

/** Until it is killed. */
function work (location, seed) {
  const pool = openBank(location)
  pool.map(LOG)
  const random = randomFrom(seed)
  for (;;) {
    try {
      const number = pool.transaction(() => transfer(pool, random))
      fs.writeSync(1, `${number}\n`)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
    }
    if (random() < 0.01) pool.collect()
  }
}

if (require.main === module) work(process.argv[2], Number(process.argv[3]))

module.exports = { ACCOUNTS, LOG, MONEY, RECENT, openBank }
