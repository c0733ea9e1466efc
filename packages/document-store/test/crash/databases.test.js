'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const seedrandom = require('seedrandom')
const { Databases, DocumentStore } = require('../..')
const { assertIntegrity, leftoversIn } = require('../integrity')
const { JournalLevel, applyStep, fill } = require('./journal-level')

/** Returns what was stored after each step of what `act` does, the beginning first. */
async function historyOf (contents, act) {
  const history = [new Map(contents)]
  const level = await fill(new JournalLevel((step) => {
    const next = new Map(history[history.length - 1])
    applyStep(next, step)
    history.push(next)
  }), contents)
  history.splice(1)
  await act(level, history)
  return history
}

/** Something in every store of a database. */
async function fillStore (store) {
  const data = Buffer.alloc(300000, 1)
  const { rev } = await store.put({ _id: 'a', _attachments: { f: { data } } })
  await store.put({ _id: 'a', _rev: rev, second: true })
  await store.put({ _id: 'b' })
  await store.putLocal({ _id: '_local/c' })
  await store.setMeta('security', { admins: { names: ['z'] } })
}

describe('a crash while databases come and go', function () {
  this.timeout(600_000)

  it('leaves each of them whole or not at all', async () => {
    const random = seedrandom('databases')
    let contents = new Map()
    let points = 0
    let leftovers = 0
    for (let life = 0; life < 6; life++) {
      const begun = []
      const history = await historyOf(contents, async (level, steps) => {
        const databases = await Databases.open(level)
        for (let i = 0; i < 4; i++) {
          const name = 'xyz'[Math.floor(random() * 3)]
          begun.push({ name, exists: !databases.has(name), from: steps.length })
          if (databases.has(name)) await databases.destroy(name)
          else await fillStore(await databases.create(name, { meta: { named: name } }))
          begun[begun.length - 1].until = steps.length
        }
      })
      for (let at = 0; at < history.length; at++) leftovers += await recover(history[at], begun, at)
      points += history.length
      contents = history[Math.floor(random() * history.length)]
    }
    assert.ok(points > 100, String(points))
    assert.ok(leftovers > 10, `check notes what a crash left: ${leftovers}`)
  })

  async function recover (contents, begun, at) {
    const level = await fill(new MemoryLevel(), contents)
    const leftovers = await leftoversIn(level, { catalogue: true })
    const databases = await Databases.open(level)
    const done = new Map(begun.filter(({ until }) => until <= at + 1).map(({ name, exists }) => [name, exists]))
    const underWay = begun.find(({ from, until }) => from <= at + 1 && at + 1 < until)
    for (const [name, exists] of done) if (name !== underWay?.name) assert.equal(databases.has(name), exists, name)
    for (const name of databases.list()) assert.equal(await (await databases.get(name)).getMeta('named'), name)
    await databases.close()
    assert.deepEqual(await leftoversIn(level, { catalogue: true }), [])
    return leftovers.length
  }

  for (const prefix of ['', 'p/']) {
    it(`finishes the deletion of one that stands alone at "${prefix}"`, async () => {
      let instanceId
      const history = await historyOf(new Map(), async (level, steps) => {
        const store = await DocumentStore.open(level, { prefix })
        await fillStore(store)
        instanceId = store.instanceId
        steps.splice(0, steps.length - 1)
        await store.destroy()
      })
      for (const contents of history.slice(1)) {
        const level = await fill(new MemoryLevel(), contents)
        if (contents.size > 0) assert.match((await leftoversIn(level, { prefix }))[0], /being deleted/)
        const store = await DocumentStore.open(level, { prefix })
        assert.notEqual(store.instanceId, instanceId)
        assert.equal(await store.getMeta('security'), undefined)
        assert.deepEqual(await store.allLocal(), [])
        const { docCount, updateSeq } = await store.info()
        assert.deepEqual([docCount, updateSeq], [0, 0])
        await store.close()
        await assertIntegrity(level, prefix)
      }
    })
  }
})
