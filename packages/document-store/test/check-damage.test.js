'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { checkDatabases, Databases } = require('..')

/** A level some of whose values, or pages of keys, are damaged: what reads them throws. */
class DamagedLevel extends MemoryLevel {
  #isDamaged = key => false

  /** @param {(key: string) => boolean} isDamaged */
  damage (isDamaged) { this.#isDamaged = isDamaged }

  #sound (keys) {
    if (keys.some(key => key !== undefined && this.#isDamaged(String(key)))) throw Object.assign(new Error('a page or value is damaged'), { code: 'LEVEL_CORRUPTION' })
  }

  getSync (key, options) {
    this.#sound([key])
    return super.getSync(key, options)
  }

  iterator (options) { return this.#checked(super.iterator(options), ([key]) => key) }
  keys (options) { return this.#checked(super.keys(options), key => key) }

  #checked (iterator, keyOf) {
    const nextv = iterator.nextv.bind(iterator)
    iterator.nextv = async size => {
      const page = await nextv(size)
      this.#sound(page.map(keyOf))
      return page
    }
    return iterator
  }
}

const fault = (kind, key) => ({ kind, key: Buffer.from(key) })

describe('check of what is damaged', () => {
  let level

  beforeEach(async () => {
    level = new DamagedLevel()
    const databases = await Databases.open(level)
    const todos = await databases.create('todos')
    await todos.write(Array.from({ length: 700 }, (_, i) => ({ _id: `todo ${1000 + i}`, i })))
    const { rev } = await todos.put({ _id: 'with', _attachments: { note: { data: Buffer.alloc(600_000, 1) } } })
    await todos.write([{ _id: 'with', _rev: '1-0', _deleted: true }], { newEdits: false })
    await todos.putLocal({ _id: '_local/mark', at: 1 })
    assert.match(rev, /^1-/)
    await (await databases.create('notes')).put({ _id: 'only' })
    await databases.close()
  })

  afterEach(() => level.close())

  async function problems (faults) {
    const found = []
    for await (const problem of checkDatabases(level, { faults })) found.push(problem)
    return found
  }

  it('is nothing where nothing is', async () => {
    assert.deepEqual(await problems(), [])
  })

  it('names each document, and goes on', async () => {
    const keys = ['b1/dtodo 1077', 'b1/dtodo 1078', 'b1/dtodo 1600', 'b2/donly', 'b1/lmark']
    level.damage(key => keys.includes(key))
    assert.deepEqual(await problems(keys.map(key => fault('value', key))), [
      'notes: The document "only" is damaged',
      'todos: The document "todo 1077" is damaged',
      'todos: The document "todo 1078" is damaged',
      'todos: The document "todo 1600" is damaged',
      'todos: The local document "mark" is damaged'
    ])
  })

  it('names what of a document is damaged', async () => {
    const chunk = (await level.keys({ gte: 'b1/c', lt: 'b1/d' }).all())[1]
    const body = (await level.keys({ gte: 'b1/r', lt: 'b1/s' }).all())[0]
    level.damage(key => [chunk, body].includes(key))
    assert.deepEqual(await problems([fault('value', chunk), fault('value', body)]), [
      'todos: The document "with" is damaged at 1-0',
      'todos: The attachment "note" of document "with" is damaged'
    ])
  })

  it('reads what is behind a page that is damaged', async () => {
    level.damage(key => (key >= 'b1/dtodo 1100' && key < 'b1/dtodo 1120') || key === 'b1/dtodo 1300')
    await level.put('b1/dtodo 1500', 'garbled')
    const found = await problems([fault('page', 'b1/dtodo 1100'), fault('value', 'b1/dtodo 1300')])
    assert.deepEqual(found.slice(0, 2), ['todos: Entries from the key "b1/dtodo 1100" on are damaged', 'todos: The document "todo 1300" is damaged'])
    assert.ok(found.slice(2).every(problem => /todo 1500/.test(problem)) && found.length > 2, found.join('\n'))
  })

  it('says between which keys it is where nothing was scrubbed', async () => {
    level.damage(key => key === 'b1/dtodo 1077')
    assert.deepEqual((await problems()).filter(problem => !/^todos: The change at/.test(problem)), ['todos: Entries after the key "b1/dtodo 1076" and before "b1/dtodo 1078" cannot be read'])
  })

  it('goes on with the other databases where the entry of one is damaged', async () => {
    level.damage(key => key === 'ntodos' || key === 'b2/donly')
    assert.deepEqual(await problems([fault('value', 'ntodos'), fault('value', 'b2/donly')]), [
      'The entry of database todos is damaged',
      'notes: The document "only" is damaged'
    ])
  })
})
