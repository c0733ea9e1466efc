'use strict'

const assert = require('node:assert/strict')
const { checkDatabases, Databases, DocumentStore, LAYOUT_VERSION } = require('@potoroo/document-store')
const { numbered } = require('../pages')

const NEWER = /newer version of Potoroo.*: use that version$/
const DAMAGED = /^The database is damaged: .*\. Restore it from a backup, or delete it$/

/** Texts that a database may say of itself; the text that is there is `text`. */
const garbled = {
  'a newer layout': [(text) => withVersion(text, LAYOUT_VERSION + 1), NEWER],
  'a much newer layout': [(text) => withVersion(text, 4000), NEWER],
  'layout 0': [(text) => withVersion(text, 0), DAMAGED],
  'layout -1': [(text) => withVersion(text, -1), DAMAGED],
  'layout 1.5': [(text) => withVersion(text, 1.5), DAMAGED],
  'a layout that is text': [(text) => withVersion(text, 'two'), DAMAGED],
  'a layout that is null': [(text) => withVersion(text, null), DAMAGED],
  'no layout': [(text) => withVersion(text, undefined), DAMAGED],
  null: [() => 'null', DAMAGED],
  'a number': [() => '7', DAMAGED],
  'a list': [() => '[]', DAMAGED],
  nothing: [() => '', DAMAGED],
  'half of it': [(text) => text.slice(0, text.length / 2), DAMAGED]
}

const counts = { none: () => undefined, nothing: () => '', text: () => 'x', 'half of them': (text) => text.slice(0, 5), 'one that is no number': (text) => `x${text.slice(1)}` }

function withVersion (text, version) {
  return JSON.stringify({ ...JSON.parse(text), version })
}

module.exports = (context) => describe('layout versions', () => {
  const contents = async () => JSON.stringify(await context.level.iterator({ valueEncoding: 'hex' }).all())

  async function assertRefused (key, value, reason) {
    await (value === undefined ? context.level.del(key) : context.level.put(key, value))
    const before = await contents()
    await assert.rejects(DocumentStore.open(context.level), { name: 'CouchError', code: 'INTERNAL', status: 500, reason })
    assert.equal(await contents(), before, 'nothing is written')
  }

  for (const [what, [change, reason]] of Object.entries(garbled)) {
    it(`refuses a database that says of itself ${what}`, async () => {
      await context.store.close()
      const text = await context.level.get('mdatabase')
      await assertRefused('mdatabase', change(text), reason)
      await context.level.put('mdatabase', text)
      await context.openStore()
    })
  }

  for (const [what, change] of Object.entries(counts)) {
    it(`refuses one whose counts are ${what}, as sequences would come again`, async () => {
      await context.store.write(numbered(3))
      await context.store.close()
      const text = await context.level.get('mstate')
      await assertRefused('mstate', change(text), DAMAGED)
      await context.level.put('mstate', text)
      await context.openStore()
      assert.equal(context.store.updateSeq, 3)
    })
  }

  it('leaves the other databases of a level usable, and the one can be deleted', async () => {
    const options = { prefix: 'dbs/' }
    let databases = await Databases.open(context.level, options)
    for (const name of ['bad', 'good']) await (await databases.create(name)).write(numbered(3))
    await databases.close()
    await context.level.put('dbs/b1/mdatabase', withVersion(await context.level.get('dbs/b1/mdatabase'), LAYOUT_VERSION + 1))
    databases = await Databases.open(context.level, options)
    assert.deepEqual(databases.list(), ['bad', 'good'])
    await assert.rejects(databases.get('bad'), { code: 'INTERNAL', reason: NEWER })
    const good = await databases.get('good')
    await good.put({ _id: 'more' })
    assert.equal((await good.info()).docCount, 4)
    await assert.rejects(databases.get('bad'), { code: 'INTERNAL', reason: NEWER })
    await databases.destroy('bad')
    assert.deepEqual(databases.list(), ['good'])
    await (await databases.create('bad')).put({ _id: 'new' })
    await databases.close()
    for await (const problem of checkDatabases(context.level, options)) assert.fail(problem)
  })
})
