'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { Databases, formerLayouts, LAYOUT_VERSION } = require('..')
const { Keyspace } = require('../lib/media/keyspace')
const { Layout } = require('../lib/media/layout')

describe('databases of a former layout', () => {
  let level, keyspace

  beforeEach(async () => {
    level = new MemoryLevel()
    await level.open()
    keyspace = new Keyspace(level, {})
    const databases = await Databases.open(level)
    for (const name of ['a', 'b', 'c']) await (await databases.create(name)).write([{ _id: 'doc' }])
    await databases.close()
  })
  afterEach(() => level.close())

  /** Lets a database say that it has another version. */
  async function setVersion (name, change) {
    const number = await keyspace.get(`n${name}`)
    const key = new Layout(`b${number}/`).meta('database')
    await keyspace.write([{ type: 'put', key, value: change(await keyspace.get(key)) }])
  }
  const ofVersion = version => text => JSON.stringify({ ...JSON.parse(text), version })
  const all = () => keyspace.entries({ gte: '', lte: '\u{10ffff}' }).all()

  it('are found by name and version, and stay as they are', async () => {
    assert.deepEqual(await formerLayouts(level), [])
    await setVersion('a', ofVersion(1))
    await setVersion('c', ofVersion(LAYOUT_VERSION - 1))
    const before = await all()
    assert.deepEqual(await formerLayouts(level), [{ name: 'a', version: 1 }, { name: 'c', version: LAYOUT_VERSION - 1 }])
    assert.deepEqual(await all(), before)
  })

  it('are none once they were opened', async () => {
    await setVersion('b', ofVersion(2))
    const databases = await Databases.open(level)
    assert.deepEqual((await formerLayouts(level)).map(({ name }) => name), ['b'])
    await databases.get('b')
    assert.deepEqual(await formerLayouts(level), [])
    await databases.close()
  })

  it('are not those of a newer version, or that are damaged', async () => {
    await setVersion('a', ofVersion(LAYOUT_VERSION + 1))
    await setVersion('b', () => 'half a rec')
    await setVersion('c', ofVersion('3'))
    assert.deepEqual(await formerLayouts(level), [])
  })
})
