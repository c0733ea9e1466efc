'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const { MemoryLevel } = require('memory-level')
const { Databases, DocumentStore, lossInWords, mend, mendDatabases, toObject } = require('..')
const { leftoversIn } = require('./integrity')

const BYTES = { keyEncoding: 'buffer', valueEncoding: 'buffer' }
const TEXT = { keyEncoding: 'utf8', valueEncoding: 'buffer' }
const big = Buffer.alloc(300_000, 'many bytes ')

/** Something in each store, with conflicts, deletions, histories and attachments that documents share. */
async function fill (store, partition = '') {
  const ids = name => partition + name
  const { rev } = await store.put({ _id: ids('a'), n: 1, _attachments: { big: { data: big } } })
  await store.put({ _id: ids('a'), _rev: rev, n: 2, _attachments: { big: { stub: true }, small: { data: Buffer.from('small') } } })
  await store.write([
    { _id: ids('a'), _rev: '2-z', _revisions: { start: 2, ids: ['z', rev.slice(2)] }, text: 'é' },
    { _id: ids('a'), _rev: '3-%!', _revisions: { start: 3, ids: ['%!', 'z'] }, _deleted: true, why: 'resolved' },
    { _id: ids('a'), _rev: '1-y', _revisions: { start: 1, ids: ['y'] }, other: true }
  ], { newEdits: false })
  await store.put({ _id: ids('b'), _deleted: true, why: 'gone' })
  await store.put({ _id: ids('plain'), text: 'plain' })
  let last
  for (let i = 0; i < 4; i++) last = (await store.put({ _id: ids('long'), _rev: last, i })).rev
  await store.put({ _id: ids('shared'), _attachments: { s: { data: Buffer.from('small') }, empty: { data: Buffer.alloc(0) } } })
  await store.put({ _id: ids('purged'), x: 1 })
  const { rev: purged } = await store.get(ids('purged'))
  await store.purge({ [ids('purged')]: [purged] })
  await store.put({ _id: '_design/d', views: {} })
  await store.putLocal({ _id: '_local/c', checkpoint: 1 })
  await store.setMeta('security', { admins: {} })
}

/** All that a reader sees of each document, by id. */
async function contentsOf (store) {
  const contents = new Map()
  const ids = new Set()
  for await (const page of (await store.allDocs()).rows) for (const { id } of page) ids.add(id)
  for await (const page of store.changes()) for (const { id } of page) ids.add(id)
  for (const id of [...ids].sort()) {
    const leaves = await store.openRevs(id, 'all', { attachments: true, revs: true })
    contents.set(id, JSON.stringify(leaves.map(({ ok }) => toObject(ok))))
  }
  return contents
}

async function levelOf (entries) {
  const level = new MemoryLevel()
  await level.open()
  await level.batch(entries.map(([key, value]) => ({ type: 'put', key, value })), BYTES)
  return level
}

async function mended (entries, options) {
  const level = await levelOf(entries)
  const losses = []
  for await (const loss of mend(level, options)) losses.push(loss)
  return { level, losses }
}

for (const [kind, open, partition] of [['a database', {}, ''], ['a database with access by document', { access: true }, ''], ['a partitioned database below a prefix', { prefix: 'databases/b1/' }, 'p:']]) {
  describe(`mend, ${kind}`, () => {
    let entries
    let originals

    before(async () => {
      const level = new MemoryLevel()
      if (partition === '') await fill(await DocumentStore.open(level, open))
      else {
        const databases = await Databases.open(level, { prefix: 'databases/' })
        await fill(await databases.create('mine', { partitioned: true }), partition)
        await databases.close()
        await level.clear({ gte: 'databases/n', lt: 'databases/z' })
      }
      entries = await level.iterator(BYTES).all()
      const store = await DocumentStore.open(await levelOf(entries), open)
      originals = await contentsOf(store)
    })

    const nameOf = key => key.toString().slice((open.prefix ?? '').length)

    /** Mends, and asserts that all that is left is sound; returns the documents as they are now, and those that differ. */
    async function assertMended (damaged, what) {
      const { level, losses } = await mended(damaged, open)
      assert.deepEqual(await leftoversIn(level, open), [], what)
      const store = await DocumentStore.open(level, open)
      const after = await contentsOf(store)
      const changed = [...originals.keys()].filter(id => originals.get(id) !== after.get(id))
      assert.deepEqual([...after.keys()].filter(id => !originals.has(id)), [], what)
      for (const loss of losses) assert.equal(typeof lossInWords(loss), 'string')
      return { changed, losses, after, store, level }
    }

    const namedIn = losses => [...new Set(losses.filter(({ kind }) => ['document', 'revision', 'attachment'].includes(kind)).map(({ id }) => id))].sort()

    it('leaves one that is whole as it is', async () => {
      const { level, losses } = await mended(entries, open)
      assert.deepEqual(losses, [])
      assert.deepEqual(await level.iterator(BYTES).all(), entries)
    })

    it('gives it a new instance where that is asked for', async () => {
      const { level } = await mended(entries, { ...open, renew: true })
      const one = await DocumentStore.open(await levelOf(entries), open)
      const other = await DocumentStore.open(level, open)
      assert.notEqual(one.instanceId, other.instanceId)
    })

    it('makes up for each record that is gone, and names the documents that changed', async () => {
      for (const entry of entries) {
        const what = nameOf(entry[0])
        const { changed, losses, store } = await assertMended(entries.filter(other => other !== entry), what)
        const text = losses.map(lossInWords).join('; ')
        // An older body is nothing that a reader is promised.
        const named = namedIn(losses)
        if (what[0] === 'd' || what[0] === 'r' || what[0] === 'c') for (const id of changed) assert.ok(named.includes(id), `${what}: ${id} is missing in: ${text}`)
        else assert.deepEqual([changed, named], [[], []], `${what}: ${text}`)
        for (const id of named) assert.ok(changed.includes(id), `${what}: ${text}`)
        assert.ok(store.docCount > 3)
      }
    })

    it('makes a sound database when any one record is garbled', async () => {
      for (const [key] of entries) {
        for (const garbled of ['g', '{}', '0']) await assertMended(entries.map(entry => entry[0] === key ? [key, Buffer.from(garbled)] : entry), nameOf(key))
      }
    })

    it('goes back to the last revision whose body is there, with its history', async () => {
      const id = `${partition}long`
      const { losses, after } = await assertMended(entries.filter(([key]) => nameOf(key) !== `d${id}`), 'long')
      const [leaf, ...others] = JSON.parse(after.get(id))
      assert.deepEqual([leaf.i, others], [2, []])
      assert.equal(leaf._revisions.ids.length, 3)
      assert.deepEqual(losses.map(({ kind, rev, lostRev }) => [kind, rev, lostRev.slice(0, 2)]), [['document', leaf._rev, '4-']])
    })

    it('serves conflicts whose winner is lost', async () => {
      const id = `${partition}a`
      const { after } = await assertMended(entries.filter(([key]) => nameOf(key) !== `d${id}`), 'a')
      const leaves = JSON.parse(after.get(id))
      assert.ok(leaves.some(({ other }) => other === true), after.get(id))
    })

    it('takes attachments that are lost out of their documents, and no others', async () => {
      const { changed, losses, after } = await assertMended(entries.filter(([key, value]) => !(nameOf(key)[0] === 'c' && value.toString() === 'small')), 'small')
      assert.deepEqual(changed, [`${partition}a`, `${partition}shared`])
      assert.deepEqual(losses.map(({ kind, name }) => [kind, name]), [['attachment', 'small'], ['attachment', 's']])
      const winner = JSON.parse(after.get(`${partition}a`)).find(({ n }) => n === 2)
      assert.deepEqual(Object.keys(winner._attachments), ['big'])
    })

    it('finds the content whose record is lost', async () => {
      const { changed, losses } = await assertMended(entries.filter(([key]) => nameOf(key)[0] !== 'a'), 'records of attachments')
      assert.deepEqual([changed, losses], [[], []])
    })

    it('makes sequences, totals and its own record anew', async () => {
      const { changed, losses, store } = await assertMended(entries.filter(([key]) => !/^[smt]/.test(nameOf(key)) || /^muser/.test(nameOf(key))), 'derived')
      assert.deepEqual(changed, [])
      assert.deepEqual(losses, [{ kind: 'database' }])
      assert.deepEqual(await store.getMeta('security'), { admins: {} })
    })

    it('makes a sound database of whatever is left, garbled or not', async () => {
      const damage = fc.array(fc.record({
        at: fc.nat(entries.length - 1),
        bytes: fc.option(fc.array(fc.nat(255), { maxLength: 20 }), { nil: null }),
        keep: fc.double({ min: 0, max: 1, noNaN: true })
      }), { minLength: 1, maxLength: 12 })
      await fc.assert(fc.asyncProperty(damage, async damages => {
        const left = new Map(entries.map(([key, value]) => [key.toString('latin1'), value]))
        const touched = new Set()
        for (const { at, bytes, keep } of damages) {
          const name = entries[at][0].toString('latin1')
          touched.add(nameOf(entries[at][0]))
          if (bytes === null) left.delete(name)
          else if (left.has(name)) left.set(name, Buffer.concat([left.get(name).subarray(0, keep * left.get(name).length), Buffer.from(bytes)]))
        }
        const { changed, losses } = await assertMended([...left].map(([key, value]) => [Buffer.from(key, 'latin1'), value]), [...touched].join())
        const isOwn = id => [...touched].some(key => key === `d${id}` || key.startsWith(`r${id}\0`))
        const content = [...touched].some(key => key[0] === 'c' || key[0] === 'a')
        for (const id of changed) {
          assert.ok(isOwn(id) || (content && /(a|shared)$/.test(id)), `${id} changed: ${[...touched]}: ${losses.map(lossInWords)}`)
        }
      }), { numRuns: 200 })
    }).timeout(600_000)

    it('removes keys that are nothing, in bytes that are no text, too', async () => {
      const odd = [Buffer.from(`${open.prefix ?? ''}e1`), Buffer.concat([Buffer.from(`${open.prefix ?? ''}d`), Buffer.from([0xff, 0xc0])])]
      const { level, losses } = await mended([...entries, ...odd.map(key => [key, Buffer.from('x')])], open)
      assert.deepEqual(losses.map(({ kind }) => kind), ['key', 'key'])
      assert.equal((await level.keys(TEXT).all()).length, entries.length)
    })
  })
}

describe('mendDatabases', () => {
  async function entriesOfCatalogue () {
    const level = new MemoryLevel()
    const databases = await Databases.open(level, { prefix: 'databases/' })
    for (const name of ['todos', '_users', 'notes']) await fill(await databases.create(name))
    await (await databases.create('dropped')).close()
    await databases.destroy('dropped')
    await databases.close()
    return level.iterator(BYTES).all()
  }

  async function mendedCatalogue (entries, options) {
    const level = await levelOf(entries)
    const losses = []
    for await (const loss of mendDatabases(level, { prefix: 'databases/', ...options })) losses.push(loss)
    assert.deepEqual(await leftoversIn(level, { prefix: 'databases/', catalogue: true }), [])
    const databases = await Databases.open(level, { prefix: 'databases/' })
    return { losses, databases, level }
  }

  it('leaves what is whole as it is', async () => {
    const entries = await entriesOfCatalogue()
    const { losses, level } = await mendedCatalogue(entries)
    assert.deepEqual(losses, [])
    assert.deepEqual(await level.iterator(BYTES).all(), entries)
  })

  it('brings databases whose name is lost, by another, and never gives a number again', async () => {
    const entries = (await entriesOfCatalogue()).filter(([key]) => !['databases/nnotes', 'databases/q'].includes(key.toString()))
    const { losses, databases } = await mendedCatalogue(entries)
    assert.deepEqual(losses, [{ kind: 'name', database: 'salvaged-3' }])
    assert.deepEqual(databases.list(), ['_users', 'salvaged-3', 'todos'])
    assert.equal((await (await databases.get('salvaged-3')).get('plain')).body, '{"text":"plain"}')
    await databases.create('next')
    assert.equal((await databases.get('salvaged-3')).docCount, (await databases.get('todos')).docCount)
  })

  it('says what storage misses, unless it is there or is told already', async () => {
    const entries = (await entriesOfCatalogue()).filter(([key]) => !['databases/b1/dplain', 'databases/b1/lc'].includes(key.toString()))
    const value = key => ({ kind: 'value', from: Buffer.from(key) })
    const missing = [
      value('databases/b1/dplain'), value('databases/b1/lc'), value('databases/b1/da'), value('databases/b1/sa1'),
      { kind: 'page', from: Buffer.from('databases/b1/dx'), to: Buffer.from('databases/b1/dz') },
      { kind: 'page', from: Buffer.from('databases/b1/sa1'), to: Buffer.from('databases/b1/sa2') },
      { kind: 'page', from: Buffer.from('databases/b1/dx') }
    ]
    const { losses } = await mendedCatalogue(entries, { missing })
    assert.deepEqual(losses.map(lossInWords).map(text => text.replace(/[0-9a-f]{32}/, '…')), [
      'todos: document "plain" at 1-… is lost',
      'todos: the local document "_local/c" is lost',
      'todos: documents from "x" to "z" are lost, or some of them',
      'entries from "databases/b1/dx" to the end are lost, or some of them'
    ])
  })

  it('removes what belongs to no database', async () => {
    const entries = await entriesOfCatalogue()
    const odd = ['databases/zzz', 'databases/b/', 'databases/'].map(text => [Buffer.from(text), Buffer.from('x')])
    odd.push([Buffer.concat([Buffer.from('databases/'), Buffer.from([0xfe, 0x80])]), Buffer.from('x')])
    const { losses, level } = await mendedCatalogue([...entries, ...odd])
    assert.deepEqual(losses.map(({ kind }) => kind), ['key', 'key', 'key', 'key'])
    assert.equal((await level.keys(BYTES).all()).length, entries.length)
  })
})
