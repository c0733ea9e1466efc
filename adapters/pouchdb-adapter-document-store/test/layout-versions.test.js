'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const PouchDB = require('pouchdb-core')
const { Databases } = require('@potoroo/document-store')
const plugin = require('..')

PouchDB.plugin(plugin)

describe('PouchDB on a database that cannot be read', () => {
  it('says why, with every call, and others stay usable', async () => {
    const level = new MemoryLevel()
    const before = await Databases.open(level)
    for (const name of ['bad', 'good']) await (await before.create(name)).put({ _id: 'd' })
    await before.close()
    const key = `b${await level.get('nbad')}/mdatabase`
    await level.put(key, JSON.stringify({ ...JSON.parse(await level.get(key)), version: 4000 }))

    const databases = await Databases.open(level)
    const open = (name) => new PouchDB(name, { adapter: 'document-store', databases })
    const bad = open('bad')
    for (const call of [() => bad.info(), () => bad.put({ _id: 'e' }), () => bad.get('d'), () => bad.allDocs()]) {
      await assert.rejects(call(), /newer version of Potoroo/)
    }
    const good = open('good')
    await good.put({ _id: 'e' })
    assert.equal((await good.info()).doc_count, 2)
    await good.close()
    await databases.close()
  })
})
