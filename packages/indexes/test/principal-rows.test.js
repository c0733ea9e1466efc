'use strict'

const assert = require('node:assert/strict')
const { isDeepStrictEqual } = require('node:util')
const { MemoryLevel } = require('memory-level')
const seedrandom = require('seedrandom')
const { DocumentStore } = require('@potoroo/document-store')
const { QueryServer } = require('@potoroo/query-server')
const { Mango, Views } = require('..')
const { assertIntegrity } = require('./integrity')

const SEED = process.env.VIEWS_SEED ?? String(Math.random())
const long = 'x'.repeat(5000)
const keys = [null, 1, 2, 2, 3, 'a', 'b', long, `${long}y`, [1], [1, 'a'], [1, 'b'], [2, 'a']]
const principals = ['ann', 'bea', 'role:red', 'role:blue', 'role:a:b', 'role:Ünï,c']
const users = [
  { name: 'ann', roles: ['red', 'blue'] }, { name: 'ann', roles: [] }, { name: 'bea', roles: ['a:b', 'Ünï,c', 'red'] },
  { name: 'red', roles: ['a'] }, { name: 'cid', roles: ['blue', 'nobody'] }, { name: null, roles: [] }
]

const map = 'function (doc) { doc.rows.forEach(function (key) { emit(key, doc.n) }) }'
const ddoc = {
  _id: '_design/d',
  options: { access: true },
  views: { plain: { map }, sum: { map, reduce: '_sum' }, stats: { map, reduce: '_stats' } }
}
const index = { _id: '_design/i', language: 'query', options: { access: true }, views: { n: { map: { fields: { n: 'asc' } }, reduce: '_count', options: { def: { fields: ['n'] } } } } }

/** Whether `_access` lets somebody read, by the book. */
function mayRead (access, { name, roles }) {
  return access.some(entry => entry.startsWith('role:') ? roles.includes(entry.slice(5)) : entry === name)
}

/** Whether a key is whole in its row: those that are cut stand by their documents. */
function isWhole ({ key }) { return typeof key !== 'string' || key.length < long.length }

/** Sums of neighbours with equal keys. */
function groupsOf (rows) {
  const groups = []
  for (const { key, value } of rows.filter(isWhole)) {
    const last = groups.at(-1)
    if (last !== undefined && isDeepStrictEqual(last.key, key)) Object.assign(last, { sum: last.sum + value, count: last.count + 1 })
    else groups.push({ key, sum: value, count: 1 })
  }
  return groups
}

describe('rows by principal', () => {
  const random = seedrandom(SEED)
  const below = count => Math.floor(random() * count)
  const one = list => list[below(list.length)]
  const queryServer = new QueryServer()
  const views = new Views({ queryServer })
  const mango = new Mango()
  let store, access

  beforeEach(async () => {
    store = await DocumentStore.open(new MemoryLevel(), { prefix: 'db/', access: true })
    access = new Map()
    await store.write([ddoc, index])
  })
  afterEach(() => store.close())
  after(() => queryServer.close())

  async function put (id, doc) {
    const { rev } = await store.get(id).catch(() => ({}))
    access.set(id, doc._access)
    await store.put({ ...doc, _id: id, _rev: rev })
  }

  /** Changes some of the documents: what they emit, and who may see them. */
  async function change (count, of) {
    for (let i = 0; i < count; i++) {
      const id = `d${below(of)}`
      if (random() < 0.1 && access.delete(id)) {
        await store.put({ _id: id, _rev: (await store.get(id)).rev, _deleted: true })
      } else {
        await put(id, { n: below(50), rows: Array.from({ length: below(4) }, () => one(keys)), _access: principals.filter(() => random() < 0.3) })
      }
    }
  }

  async function ask (view, options, user) {
    const [answer] = await views.queries(store, 'd', view, [options], user && store.forMember(user))
    return (await answer()).toObject()
  }

  const seen = (rows, user) => rows.filter(({ id }) => mayRead(access.get(id), user))
  const options = () => ({
    descending: random() < 0.5,
    ...one([{}, { key: one(keys) }, { keys: [one(keys), one(keys), 'none'] }, { startkey: 1 }, { endkey: [1] }, { startkey: [1], endkey: [1, {}] }])
  })
  const asked = ({ descending, startkey, endkey, ...rest }) => descending ? { ...rest, descending, startkey: endkey, endkey: startkey } : { ...rest, startkey, endkey }
  const told = (user, asks) => `${JSON.stringify(user)} ${JSON.stringify(asks)} (VIEWS_SEED=${SEED})`

  async function assertRows (user, whole) {
    const asks = asked(options())
    const rows = seen((await ask('plain', asks)).rows, user)
    const answer = await ask('plain', asks, user)
    assert.deepEqual(answer.rows, rows, told(user, asks))
    assert.equal(answer.total_rows, whole.length, told(user, asks))
    const skip = below(4)
    const limit = below(6)
    assert.deepEqual((await ask('plain', { ...asks, skip, limit }, user)).rows, rows.slice(skip, skip + limit), told(user, asks))
    const { rows: withDocuments } = await ask('plain', { ...asks, include_docs: true }, user)
    assert.deepEqual(withDocuments.map(({ doc }) => doc._id), rows.map(({ id }) => id), told(user, asks))
    if (asks.keys !== undefined) return
    const sum = rows.reduce((all, { value }) => all + value, 0)
    assert.deepEqual((await ask('sum', asks, user)).rows, rows.length === 0 ? [] : [{ key: null, value: sum }], told(user, asks))
    const groups = (await ask('stats', { ...asks, group: true }, user)).rows.filter(isWhole).map(({ key, value: { sum, count } }) => ({ key, sum, count }))
    assert.deepEqual(groups, groupsOf(rows), told(user, asks))
  }

  async function assertFound (user) {
    const [low, high] = [below(50), below(50)].sort((a, b) => a - b)
    for (const order of ['asc', 'desc']) {
      const body = { selector: { n: { $gte: low, $lte: high } }, sort: [{ n: order }], fields: ['_id', 'n'], limit: 10_000 }
      const ids = new Set(access.keys())
      const all = (await mango.find(store, body)).docs.filter(({ _id }) => ids.has(_id) && mayRead(access.get(_id), user))
      const answer = await mango.search(store, body, undefined, store.forMember(user))
      assert.deepEqual(await answer.all(), all, told(user, body))
      const scan = await mango.search(store, { selector: { n: { $gte: low, $lte: high }, $or: [{ rows: { $exists: true } }] }, use_index: '_all_docs', fields: ['_id'], limit: 10_000 }, undefined, store.forMember(user))
      assert.deepEqual((await scan.all()).map(({ _id }) => _id).sort(), all.map(({ _id }) => _id).sort(), told(user, body))
    }
  }

  it('give each user what a filter of all rows gives', async () => {
    for (let round = 0; round < 8; round++) {
      await change(30, 60)
      const whole = (await ask('plain', {})).rows
      for (const user of users) {
        await assertRows(user, seen(whole, user))
        await assertFound(user)
      }
    }
  })

  it('give a row once to a user whom the document names along with two of their roles', async () => {
    await put('d1', { n: 7, rows: [2, 2, [1], long], _access: ['ann', 'role:red', 'role:blue'] })
    await put('d2', { n: 9, rows: [2], _access: ['role:red', 'role:Ünï,c'] })
    const [ann] = users
    for (const descending of [false, true]) {
      const { rows, total_rows: total } = await ask('plain', { descending }, ann)
      const all = [[2, 'd1'], [2, 'd1'], [2, 'd2'], [long, 'd1'], [[1], 'd1']]
      assert.deepEqual(rows.map(({ key, id }) => [key, id]), descending ? all.reverse() : all)
      assert.equal(total, 5)
    }
    assert.deepEqual((await ask('sum', {}, ann)).rows, [{ key: null, value: 4 * 7 + 9 }])
    const answer = await mango.search(store, { selector: { n: { $gt: 0 } }, fields: ['n'] }, undefined, store.forMember(ann))
    assert.deepEqual(await answer.all(), [{ n: 7 }, { n: 9 }])
    await assertIntegrity(store)
  })

  it('are many, of long groups, with sums and without', async () => {
    const list = []
    for (let i = 0; i < 900; i++) {
      const id = `d${i}`
      access.set(id, [['ann'], ['role:red', 'ann'], ['bea'], ['role:blue']][i % 4])
      list.push({ _id: id, n: i, rows: [i < 800 ? [1, 'a'] : i], _access: access.get(id) })
    }
    await store.write(list)
    for (let again = 0; again < 3; again++) {
      const whole = (await ask('plain', {})).rows
      for (const user of users) await assertRows(user, seen(whole, user))
      const { rows } = await ask('stats', { group_level: 1 }, { name: 'bea', roles: [] })
      assert.deepEqual(rows[rows.length - 1].value.count, 200)
    }
  })
})
