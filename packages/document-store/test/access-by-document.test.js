'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs/promises')
const os = require('node:os')
const path = require('node:path')
const { ClassicLevel } = require('classic-level')
const { MemoryLevel } = require('memory-level')
const { check, DocumentStore, lossInWords, mend } = require('..')
const { assertIntegrity } = require('./integrity')

const USERS = ['ann', 'bea', 'cid']
const ROLES = ['red', 'blue']

/** Random numbers that a seed repeats. @param {number} seed */
function randomFrom (seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

const pagesOf = async pages => {
  const all = []
  for await (const page of pages) all.push(...page)
  return all
}

/** Whether `_access` lets somebody read, by the book. */
function mayRead (access, { name, roles }) {
  const entries = Array.isArray(access) ? access : [...access?.read ?? [], ...access?.write ?? []]
  return entries.some(entry => entry.startsWith('role:') ? roles.includes(entry.slice(5)) : entry === name)
}

/** One user, and what a replica of theirs has. */
class Replica {
  since = '0'
  docs = new Map()
  /** Ids of documents that they could see at any time. */
  known = new Set()

  constructor (name) { this.user = { name, roles: [] } }

  async pull (store, limit) {
    const changes = store.forMember(this.user).changes({ since: this.since, limit })
    const rows = await pagesOf(changes)
    for (const { id, deleted, gone, changes: [{ rev }] } of rows) {
      if (gone) assert.ok(this.known.has(id), `${this.user.name} is told of ${id}, which they never saw`)
      if (deleted) this.docs.delete(id)
      else this.docs.set(id, rev)
    }
    this.since = changes.lastSeq
    return rows.length
  }
}

async function run (store, seed, steps) {
  const random = randomFrom(seed)
  const pick = list => list[Math.floor(random() * list.length)]
  const replicas = USERS.map(name => new Replica(name))
  const anyAccess = () => {
    const some = () => [...USERS, ...ROLES.map(role => `role:${role}`)].filter(() => random() < 0.2)
    return random() < 0.2 ? { read: some(), write: some() } : random() < 0.1 ? undefined : some()
  }
  for (let step = 0; step < steps; step++) {
    const { user } = pick(replicas)
    // In the end everybody has seen every old one.
    const id = `d${Math.floor(step / 30)}-${Math.floor(random() * 8)}`
    const [winner] = await store.openRevs(id, 'all')
    const rev = winner?.ok.rev
    const what = random()
    if (what < 0.45) await store.write([{ _id: id, _rev: winner?.ok.deleted ? undefined : rev, _access: anyAccess(), n: step }])
    else if (what < 0.55 && rev !== undefined) await store.write([{ _id: id, _rev: rev, _deleted: true }])
    else if (what < 0.62) await store.write([{ _id: id, _rev: `${1 + Math.floor(random() * 4)}-${step}`, _access: anyAccess(), _deleted: random() < 0.2 }], { newEdits: false })
    else if (what < 0.66 && rev !== undefined) await store.purge({ [id]: [rev] })
    else if (what < 0.85) user.roles = ROLES.filter(() => random() < 0.5)
    else await store.forMember(user).write([{ _id: id, _rev: rev, _access: random() < 0.5 ? [user.name] : anyAccess(), n: step }])
    const leaves = await pagesOf(store.changes({ includeDocs: true }))
    for (const { known, user } of replicas) for (const { id, document } of leaves) if (mayRead(JSON.parse(document.body)._access, user)) known.add(id)
    const purges = what >= 0.62 && what < 0.66
    for (const replica of replicas) {
      // A purge is told to nobody.
      if (purges) Object.assign(replica, { since: '0', docs: new Map() })
      const how = random()
      if (how < 0.4) while (await replica.pull(store, how < 0.2 ? 2 : undefined) > 0);
      // Roles and documents change between two parts.
      else if (how < 0.8) await replica.pull(store, 1 + Math.floor(random() * 2))
    }
    if (step % 40 === 0) await assertSeen(store, replicas)
  }
  await assertSeen(store, replicas)
}

async function assertSeen (store, replicas) {
  const docs = await pagesOf((await store.allDocs({ includeDocs: true })).rows)
  for (const replica of replicas) {
    const expected = docs.filter(({ document }) => mayRead(JSON.parse(document.body)._access, replica.user)).map(({ id, value }) => [id, value.rev])
    const seen = await store.forMember(replica.user).allDocs()
    assert.deepEqual((await pagesOf(seen.rows)).map(({ id, value }) => [id, value.rev]), expected)
    assert.equal(seen.totalRows, expected.length)
    await pull(replica, store)
    assert.deepEqual([...replica.docs].sort(), expected)
  }
}

async function pull (replica, store) { while (await replica.pull(store) > 0); }

describe('access by document', () => {
  it('makes no revision that can be worked out of what is in it', async () => {
    const open = options => DocumentStore.open(new MemoryLevel(), options)
    const [plain, one, other] = [await open({}), await open({ access: true }), await open({ access: true })]
    const rev = async (store, doc) => (await store.put({ _access: ['ann'], guess: 1, ...doc })).rev
    const revs = [await rev(plain, { _id: 'a' }), await rev(one, { _id: 'a' }), await rev(other, { _id: 'a' }), await rev(one, { _id: 'b' })]
    assert.equal(new Set(revs).size, 4)
    assert.equal(await rev(plain, { _id: 'b' }), revs[0])
    await Promise.all([plain, one, other].map(store => store.close()))
  })

  for (const [name, open] of /** @type {Array<[string, (folder: string) => any]>} */ ([['in memory', () => new MemoryLevel()], ['on LevelDB', folder => new ClassicLevel(folder)]])) {
    it(`gives replicas what their users may see, ${name}`, async () => {
      const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'access-'))
      try {
        for (let seed = 1; seed <= Number(process.env.SEEDS ?? 5); seed++) {
          const level = open(path.join(folder, `${seed}`))
          const store = await DocumentStore.open(level, { access: true })
          await run(store, seed, 120)
          await store.close()
          await assertIntegrity(level)
          const again = await DocumentStore.open(level)
          assert.equal(again.byDocument, true)
          await again.close()
          await level.close()
        }
      } finally {
        await fs.rm(folder, { recursive: true })
      }
    })
  }

  it('tells of nothing that went before a role came, in the middle of a feed', async () => {
    const store = await DocumentStore.open(new MemoryLevel(), { access: true })
    const ann = new Replica('ann')
    const { rev } = await store.put({ _id: 'hidden', _access: ['role:red'] })
    for (const _id of ['a', 'b', 'c']) await store.put({ _id, _access: ['ann'] })
    await ann.pull(store, 1)
    await store.put({ _id: 'hidden', _rev: rev, _access: ['bea'] })
    ann.user.roles = ['red']
    await ann.pull(store, 1)
    ann.user.roles = ['blue', 'red']
    await pull(ann, store)
    assert.deepEqual([...ann.docs.keys()].sort(), ['a', 'b', 'c'])
    await store.close()
  })

  it('takes away what a part of a feed told, though it came again and went again since', async () => {
    const store = await DocumentStore.open(new MemoryLevel(), { access: true })
    const ann = new Replica('ann')
    let { rev } = await store.put({ _id: 'now and then', _access: ['ann'] })
    for (const _id of ['a', 'b', 'c']) await store.put({ _id, _access: ['ann'] })
    await ann.pull(store, 1)
    assert.deepEqual([...ann.docs.keys()], ['now and then'])
    ann.known.add('now and then')
    for (const name of ['bea', 'ann', 'bea']) ({ rev } = await store.put({ _id: 'now and then', _rev: rev, _access: [name] }))
    await pull(ann, store)
    assert.deepEqual([...ann.docs.keys()].sort(), ['a', 'b', 'c'])
    await store.close()
  })

  it('is checked and mended', async () => {
    const level = new MemoryLevel()
    let store = await DocumentStore.open(level, { access: true })
    const { rev } = await store.put({ _id: 'a', _access: ['ann', 'bea'] })
    await store.put({ _id: 'a', _rev: rev, _access: ['ann'] })
    await store.put({ _id: 'b', _access: ['bea'], _attachments: { f: { data: Buffer.from('x') } } })
    await store.forMember({ name: 'ann', roles: [] }).putLocal({ _id: '_local/x' })
    await store.close()
    await level.del('bubea/db')
    await level.put('bucid/da', '1')
    await level.put('bucid/sa2', '0')
    await level.put('gx', '{"ucid":1}')
    const problems = []
    for await (const problem of check(level)) problems.push(problem)
    assert.equal(problems.length, 4, problems.join('\n'))
    for await (const loss of mend(level)) assert.fail(lossInWords(loss))
    await assertIntegrity(level)
    store = await DocumentStore.open(level)
    assert.deepEqual((await pagesOf((await store.forMember({ name: 'bea', roles: [] }).allDocs()).rows)).map(({ id }) => id), ['b'])
    assert.deepEqual(await pagesOf((await store.forMember({ name: 'cid', roles: [] }).allDocs()).rows), [])
    assert.equal((await store.forMember({ name: 'ann', roles: [] }).getLocal('_local/x')).rev, '0-1')
    await store.close()
  })

  it('costs no more for what others have', async () => {
    const level = new MemoryLevel()
    const store = await DocumentStore.open(level, { access: true })
    await store.write(Array.from({ length: 5000 }, (_, i) => ({ _id: `x${i}`, _access: ['others'] })))
    await store.write(Array.from({ length: 10 }, (_, i) => ({ _id: `a${i}`, _access: ['ann', 'role:red'] })))
    const member = store.forMember({ name: 'ann', roles: ['red', 'none'] })
    const reads = { count: 0 }
    for (const verb of /** @type {const} */ (['get', 'getSync', 'getMany'])) {
      const own = level[verb].bind(level)
      level[verb] = (/** @type {any[]} */ ...given) => { reads.count += Array.isArray(given[0]) ? given[0].length : 1; return own(...given) }
    }
    const iterator = level.iterator.bind(level)
    level.iterator = (/** @type {any} */ options) => {
      const made = iterator(options)
      const nextv = made.nextv.bind(made)
      made.nextv = async (/** @type {number} */ size) => { const page = await nextv(size); reads.count += page.length; return page }
      return made
    }
    assert.equal((await pagesOf((await member.allDocs()).rows)).length, 10)
    assert.equal((await pagesOf(member.changes())).length, 10)
    assert.ok(reads.count < 300, `${reads.count} reads`)
    await store.close()
  })
})
