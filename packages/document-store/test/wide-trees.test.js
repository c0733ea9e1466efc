'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('..')

const LEAVES = 60
const LENGTH = 20

const many = (count, make) => Array.from({ length: count }, (_, i) => make(i))
const hashOf = (branch, n) => (branch * 1000 + n).toString(16).padStart(32, '0')
const leafOf = branch => `${LENGTH}-${hashOf(branch, 0)}`

/** A document of many branches, each with a history of its own. @param {object} [members] */
const wide = members => many(LEAVES, branch => ({
  _id: 'wide', ...members, branch, _revisions: { start: LENGTH, ids: many(LENGTH, n => hashOf(branch, n)) }
}))

/** Counts how often all revisions of the tree are gone through while something is done. */
async function looksAtTree (work) {
  const { values } = Map.prototype
  let looks = 0
  // eslint-disable-next-line no-extend-native
  Map.prototype.values = function () {
    if (this.size === LEAVES * LENGTH) looks++
    return values.call(this)
  }
  try {
    await work()
  } finally {
    // eslint-disable-next-line no-extend-native
    Map.prototype.values = values
  }
  return looks
}

/** Counts rounds of the event loop while something is done that takes longer than a turn for each revision. */
async function roundsDuring (work) {
  let rounds = 0
  let next = setImmediate(function count () {
    rounds++
    next = setImmediate(count)
  })
  await work({
    get revs () {
      const end = performance.now() + 11
      while (performance.now() < end);
      return true
    }
  })
  clearImmediate(next)
  return rounds
}

describe('revision trees of many branches', () => {
  let level, store

  beforeEach(async () => {
    level = new MemoryLevel()
    store = await DocumentStore.open(level)
    await store.write(wide(), { newEdits: false })
    await store.write([{ _id: 'other', _revisions: { start: 1, ids: ['a'] } }, { _id: 'other', _revisions: { start: 1, ids: ['b'] } }], { newEdits: false })
  })

  afterEach(() => store.close())

  it('are gone through once, however many revisions are read', async () => {
    const expected = { start: LENGTH, ids: many(LENGTH, n => hashOf(LEAVES - 1, n)) }
    const looks = await looksAtTree(async () => {
      const leaves = await store.openRevs('wide', 'all', { revs: true })
      assert.equal(leaves.length, LEAVES)
      assert.deepEqual(leaves[0].ok.revisions, expected)
    })
    assert.equal(looks, 1)
    assert.equal(await looksAtTree(async () => {
      const found = await store.bulkGet(many(LEAVES, branch => ({ id: 'wide', rev: leafOf(branch) })), { revs: true, conflicts: true })
      found.forEach(({ ok }, branch) => {
        assert.equal(ok.rev, leafOf(branch))
        assert.equal(ok.conflicts.length, LEAVES - 1)
      })
    }), 1)
    assert.equal(await looksAtTree(async () => {
      const roots = many(LEAVES, branch => `1-${hashOf(branch, LENGTH - 1)}`)
      const found = await store.openRevs('wide', [...roots, '9-none'], { latest: true, revs: true })
      assert.deepEqual(found.map(({ ok, missing }) => ok?.rev ?? missing), [...many(LEAVES, leafOf), '9-none'])
    }), 1)
  })

  it('give way to all leaves that follow a revision, the best one first', async () => {
    const ids = many(LENGTH, n => hashOf(0, n))
    const added = ['ab', 'ef', 'cd'].map(hash => ({ _id: 'wide', _revisions: { start: LENGTH + 1, ids: [hash, ...ids] } }))
    await store.write(added, { newEdits: false })
    const found = await store.openRevs('wide', [leafOf(0), leafOf(7), `${LENGTH + 1}-cd`], { latest: true })
    assert.deepEqual(found.map(({ ok }) => ok.rev), [`${LENGTH + 1}-ef`, `${LENGTH + 1}-cd`, `${LENGTH + 1}-ab`, leafOf(7)])
  })

  it('are each its own in a list of several documents', async () => {
    const wanted = [{ id: 'wide', rev: leafOf(3) }, { id: 'other' }, { id: 'other', rev: '1-a' }, { id: 'none', rev: '1-a' }, { id: 'wide', rev: leafOf(4) }]
    for (const options of [{}, { conflicts: true }]) {
      const found = await store.bulkGet(wanted, options)
      assert.deepEqual(found.map(({ ok }) => ok?.rev), [leafOf(3), '1-b', '1-a', undefined, leafOf(4)])
    }
  })

  it('let others run while their revisions are read', async () => {
    assert.ok(await roundsDuring(options => store.openRevs('wide', many(10, leafOf), options)) >= 9)
    assert.ok(await roundsDuring(options => store.bulkGet(many(10, branch => ({ id: 'wide', rev: leafOf(branch) })), options)) >= 9)
    assert.ok(await roundsDuring(async options => {
      const { rows } = await store.allDocs({ keys: many(10, () => 'wide'), includeDocs: true, get revs () { return options.revs } })
      for await (const page of rows) assert.ok(page.length > 0)
    }) >= 9)
  })
})

describe('revision trees of many branches that a user may see in part', () => {
  const ann = { name: 'ann', roles: [] }
  let level, store

  beforeEach(async () => {
    level = new MemoryLevel()
    store = await DocumentStore.open(level, { access: true })
    await store.write(wide({ _access: ['ann'] }), { newEdits: false })
  })

  afterEach(() => store.close())

  it('are gone through once to say which revisions are missing', async () => {
    const member = store.forMember(ann)
    const unknown = many(40, n => `${2 + n % 10}-${(0xabc000 + n).toString(16).padStart(32, '0')}`)
    const looks = await looksAtTree(async () => {
      const { wide } = await member.revsDiff({ wide: [...unknown, leafOf(5)] })
      assert.deepEqual(wide.missing, unknown)
      assert.equal(wide.possible_ancestors, undefined) // the leaves are later
    })
    assert.equal(looks, 2) // for its leaves, and for its generations
  })

  it('take any number of revisions', async () => {
    const { wide } = await store.forMember(ann).revsDiff({ wide: many(200_000, n => `7-${n}`) })
    assert.equal(wide.missing.length, 200_000)
  })

  it('have their losers read once, however many revisions are read', async () => {
    const member = store.forMember(ann)
    const { getSync } = level
    let keys = 0
    level.getSync = function (...args) {
      keys++
      return getSync.apply(this, args)
    }
    const leaves = await member.openRevs('wide', 'all', { conflicts: true })
    assert.equal(leaves.length, LEAVES)
    assert.ok(leaves.every(({ ok }) => ok.conflicts.length === LEAVES - 1))
    assert.ok(keys > LEAVES && keys <= 3 * LEAVES, `${keys} keys`)
  })
})
