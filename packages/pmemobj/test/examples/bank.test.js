'use strict'

const assert = require('node:assert')
const { Pool } = require('pmemobj')
const { Account } = require('../../examples/bank/lib/account')
const { Bank, HOUSE } = require('../../examples/bank/lib/bank')
const { formatMoney, parseMoney } = require('../../examples/bank/lib/money')
const { temporaryFolder } = require('../temporary-folder')
const { commandOf } = require('./example-command')

describe('examples/bank', () => {
  const folder = temporaryFolder()
  let location
  let bank

  beforeEach(() => {
    location = folder.next()
    bank = new Bank(location)
  })
  afterEach(() => bank.close())

  const balances = () => [...bank.accounts.values()].map(({ balance }) => balance)

  function reopen () {
    bank.close()
    bank = new Bank(location)
  }

  it('is founded with an account of its own, once', () => {
    assert.deepStrictEqual(balances(), [0])
    reopen()
    assert.deepStrictEqual([bank.account(HOUSE).owner, bank.accounts.size], ['the house', 1])
  })

  it('opens accounts, which are of their class when they are read again', () => {
    bank.open('Alice', 100_00)
    bank.open('Bob')
    reopen()
    const alice = bank.account(1)
    assert.ok(alice instanceof Account)
    assert.ok(alice.opened instanceof Date)
    assert.deepStrictEqual(balances(), [-100_00, 100_00, 0])
    alice.deposit(5)
    assert.strictEqual(alice.balance, 100_05)
  })

  it('moves money, and writes it down', () => {
    bank.open('Alice', 100_00)
    bank.open('Bob')
    bank.transfer(1, 2, 30_00)
    bank.withdraw(2, 10_00)
    reopen()
    assert.deepStrictEqual(balances(), [-90_00, 70_00, 20_00])
    assert.deepStrictEqual(bank.journal.map(({ kind, amount }) => [kind, amount]), [['deposit', 100_00], ['transfer', 30_00], ['withdrawal', 10_00]])
    assert.strictEqual(bank.journal[1].from, bank.account(1))
    assert.deepStrictEqual(bank.check(), { right: true, sum: 0, wrong: [] })
  })

  it('does nothing where there is not enough, no such account, or no amount', () => {
    bank.open('Alice', 100_00)
    assert.throws(() => bank.transfer(1, 7, 1), /no account 7/)
    assert.throws(() => bank.transfer(1, HOUSE, 100_01), /Alice has not got so much/)
    for (const amount of [0, -1, 0.5, NaN]) assert.throws(() => bank.transfer(1, HOUSE, amount), RangeError)
    assert.deepStrictEqual([balances(), bank.journal.length], [[-100_00, 100_00], 1])
  })

  it('pays interest to all, rounded down', () => {
    bank.open('Alice', 100_33)
    bank.open('Bob', 33)
    bank.open('Carol')
    assert.strictEqual(bank.payInterest(2), 2_00)
    assert.deepStrictEqual(balances(), [-102_66, 102_33, 33, 0])
    assert.ok(bank.check().right)
  })

  it('takes back a movement within others that fail', () => {
    bank.open('Alice', 100_00)
    assert.throws(() => bank.transaction(() => {
      bank.withdraw(1, 60_00)
      bank.withdraw(1, 60_00)
    }), RangeError)
    assert.deepStrictEqual([balances(), bank.journal.length], [[-100_00, 100_00], 1])
  })

  it('finds an account that is not what the journal says', () => {
    bank.open('Alice', 100_00)
    bank.account(1).deposit(1)
    const { right, sum, wrong } = bank.check()
    assert.deepStrictEqual([right, sum], [false, 1])
    assert.deepStrictEqual(wrong.map(({ owner }) => owner), ['Alice'])
  })
})

describe('examples/bank: money', () => {
  it('is read and written as cents', () => {
    for (const [text, cents] of [['0.01', 1], ['12.5', 1250], ['12', 1200], ['007.07', 707]]) assert.strictEqual(parseMoney(text), cents)
    for (const text of ['', '.5', '1.234', '-1', '1e3', ' 1']) assert.throws(() => parseMoney(text), RangeError)
    assert.deepStrictEqual([0, 5, 123456].map(formatMoney), ['0.00', '0.05', '1234.56'])
  })
})

describe('examples/bank: the command', () => {
  const folder = temporaryFolder()
  let location
  let run
  beforeEach(() => {
    location = folder.next()
    run = commandOf('bank/bank.js', location)
  })

  const printed = async (...words) => {
    const { code, stdout, stderr } = await run(...words)
    assert.deepStrictEqual([code, stderr], [0, ''])
    return stdout
  }

  it('keeps accounts from one process to the next', async () => {
    assert.strictEqual(await printed('open', 'Alice', '100'), 'account 1, Alice: 100.00\n')
    assert.strictEqual(await printed('open', 'Bob'), 'account 2, Bob: 0.00\n')
    assert.strictEqual(await printed('transfer', '1', '2', '25.50'), 'Alice has 74.50, Bob has 25.50\n')
    assert.strictEqual(await printed('interest', '2'), '2.00 paid\n')
    assert.strictEqual(await printed('deposit', '2', '1'), 'Bob has 27.01\n')
    assert.strictEqual(await printed('withdraw', '2', '0.01'), 'Bob has 27.00\n')
    assert.match(await printed('report'), / 0 {2}the house +-102\.99\n +1 {2}Alice +75\.99\n +2 {2}Bob +27\.00\n6 entries/)
    assert.match(await printed('statement', '2'), /^Bob, since .+\n.+ transfer +Alice +25\.50\n.+ interest +the house +0\.51\n/)
    assert.match(await printed('check'), /^The books are right: customers have 102\.99, the house owes 102\.99, as 6 entries/)
  })

  it('says what is wrong', async () => {
    assert.deepStrictEqual(await run('transfer', '1', '2', '5'), { code: 1, stdout: '', stderr: 'bank: There is no account 1\n' })
    const { code, stderr } = await run('open', 'Alice', 'much')
    assert.strictEqual(code, 1)
    assert.match(stderr, /"much" is no amount of money/)
  })

  it('is killed in the middle of a transfer, and has lost nothing', async () => {
    await printed('open', 'Alice', '100')
    await printed('open', 'Bob', '100')
    for (let round = 1; round <= 2; round++) {
      const { code, stdout } = await run('crash', '--after', '50')
      assert.deepStrictEqual([code, stdout], ['SIGKILL', '50 transfers made; killed in the middle of another one\n'])
      assert.strictEqual(await printed('check'), `The books are right: customers have 200.00, the house owes 200.00, as ${2 + 50 * round} entries of the journal say.\n`)
    }
  })

  it('tells when the books are wrong', async () => {
    await printed('open', 'Alice', '100')
    const pool = Pool.open(location)
    pool.register(Account)
    pool.root.accounts.get(1).balance = 99_00
    pool.close()
    const { code, stdout } = await run('check')
    assert.deepStrictEqual([code, stdout], [1, 'The books are wrong: all balances together are -1.00.\n  account 1, Alice, is not what the journal says\n'])
  })
})
