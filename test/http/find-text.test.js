'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')

const PEOPLE = [
  { _id: 'a', name: { first: 'Ramona', last: 'Floyd' }, age: 22, manager: true, favorites: ['Ruby', 'C', 'Python'] },
  { _id: 'b', name: { first: 'Stephanie', last: 'Kirkland' }, age: 48, manager: false, favorites: ['Lisp', ['Python', 'Erlang']] },
  { _id: 'c', name: { first: 'Floyd', last: 'Webb' }, age: 33, manager: true, motto: 'the quick brown fox' },
  { _id: 'd', name: { first: 'Ramona', last: 'Webb' }, age: 50, manager: null, motto: 'a fox is quick', notes: [{ n: 1 }, { n: 2 }] }
]

/** @see https://docs.couchdb.org/en/stable/api/database/find.html#find-text-index */
for (const type of ['text', 'nouveau']) {
  describe(`indexes of _find of the type ${type}`, () => {
    const db = new TestDatabase()

    beforeEach(async () => { await db.post('_bulk_docs', { docs: PEOPLE }) })

    const create = (index = {}, more = {}) => db.post('_index', { type, index, ...more })
    const find = async (selector, more = {}) => {
      const { status, body, text } = await db.post('_find', { selector, ...more })
      assert.equal(status, 200, text)
      return body.docs.map(({ _id }) => _id)
    }
    const found = async (selector, more) => (await find(selector, more)).sort()

    it('find by $text, best first', async () => {
      assert.equal((await create()).body.result, 'created')
      assert.equal((await create()).body.result, 'exists')
      assert.deepEqual(await find({ $text: 'Stephanie' }), ['b'])
      assert.deepEqual(await found({ $text: 'fox' }), ['c', 'd'])
      assert.deepEqual(await found({ $text: 'webb AND quick' }), ['c', 'd'])
      assert.deepEqual(await found({ $text: '"quick brown"' }), ['c'])
      assert.deepEqual(await found({ $text: 'Ramona', age: { $gt: 30 } }), ['d'])
      assert.deepEqual(await found({ $and: [{ $text: 'Ramona' }, { $text: 'Floyd' }] }), ['a'])
      assert.deepEqual(await found({ $or: [{ $text: 'Stephanie' }, { age: 22 }] }), ['a', 'b'])
    })

    it('find what selectors ask for', async () => {
      await create()
      const cases = [
        [{ age: 22 }, ['a']], [{ age: { $lt: 34 } }, ['a', 'c']], [{ age: { $gte: 48, $lte: 50 } }, ['b', 'd']], [{ 'name.first': 'Ramona' }, ['a', 'd']],
        [{ 'name.first': { $gt: 'M' } }, ['a', 'b', 'd']], [{ manager: true }, ['a', 'c']], [{ manager: null }, ['d']], [{ age: { $ne: 22 } }, ['b', 'c', 'd']],
        [{ $not: { age: 22 } }, ['b', 'c', 'd']], [{ $nor: [{ age: 22 }, { age: 33 }] }, ['b', 'd']], [{ age: { $in: [22, 50, 1] } }, ['a', 'd']],
        [{ favorites: { $in: ['Lisp', 'C'] } }, ['a', 'b']], [{ favorites: { $all: ['Ruby', 'C'] } }, ['a']], [{ 'favorites.2': 'Python' }, ['a']], [{ 'favorites.1.0': 'Python' }, ['b']],
        [{ favorites: ['Ruby', 'C', 'Python'] }, ['a']], [{ favorites: { $elemMatch: { $eq: 'Lisp' } } }, ['b']], [{ notes: { $elemMatch: { n: 2 } } }, ['d']], [{ favorites: { $size: 3 } }, ['a']],
        [{ motto: { $exists: true } }, ['c', 'd']], [{ motto: { $exists: false } }, ['a', 'b']], [{ motto: { $regex: 'brown' } }, ['c']], [{ motto: { $beginsWith: 'a f' } }, ['d']],
        [{ age: { $in: Array.from({ length: 3000 }, (_, i) => i) } }, ['a', 'b', 'c', 'd']], [{ age: 22, $or: [] }, ['a']], [{ age: 22, manager: { $in: [] } }, []],
        [{ age: { $mod: [11, 0] } }, ['a', 'c']], [{ manager: { $type: 'null' } }, ['d']], [{ name: { first: 'Floyd', last: 'Webb' } }, ['c']]
      ]
      for (const [selector, ids] of cases) {
        const { body } = await db.post('_explain', { selector })
        assert.equal(body.index.type, type, JSON.stringify(selector))
        assert.deepEqual(await found(selector), ids, JSON.stringify(selector))
      }
    })

    it('sort, and go on from a bookmark', async () => {
      await create()
      assert.deepEqual(await find({ age: { $gt: 0 } }, { sort: [{ age: 'desc' }] }), ['d', 'b', 'c', 'a'])
      assert.deepEqual(await find({ age: { $gt: 0 } }, { sort: ['name.last:string', 'age:number'] }), ['a', 'b', 'c', 'd'])
      assertRefused(await db.post('_find', { selector: { $text: 'fox' }, sort: ['age'] }), 400, 'text_sort_error', 'Unspecified or ambiguous sort type. Try appending :number or :string to the sort field. age')
      const seen = []
      let bookmark
      for (let i = 0; i < 5; i++) {
        const { body } = await db.post('_find', { selector: { age: { $gt: 0 } }, sort: ['age'], limit: 1, bookmark })
        seen.push(...body.docs.map(({ _id }) => _id))
        bookmark = body.bookmark
      }
      assert.deepEqual(seen, ['a', 'c', 'b', 'd'])
      assert.equal((await db.post('_find', { selector: { age: { $gt: 0 } }, sort: ['age'], bookmark: 'abc' })).status, 400)
      const [print, scan, key, id] = JSON.parse(Buffer.from(bookmark, 'base64url').toString())
      for (const forged of [['x', ...key.slice(1)], [1], [], [{}, {}]]) {
        const { status } = await db.post('_find', { selector: { age: { $gt: 0 } }, sort: ['age'], bookmark: Buffer.from(JSON.stringify([print, scan, forged, id])).toString('base64url') })
        assert.equal(status, 400)
      }
    })

    it('are used where they have the fields, and no other index does', async () => {
      await create({ fields: [{ name: 'age', type: 'number' }], default_field: { enabled: false } }, { name: 'ages' })
      const used = async selector => (await db.post('_explain', { selector })).body.index.name
      assert.equal(await used({ age: 22 }), 'ages')
      assert.equal(await used({ age: 'x' }), '_all_docs')
      assert.equal(await used({ manager: true }), '_all_docs')
      assert.deepEqual(await find({ age: 22 }), ['a'])
      await db.post('_index', { index: { fields: ['age'] }, name: 'json' })
      assert.equal(await used({ age: 22 }), 'json')
    })

    it('find nothing by the opposite of what is not in them', async () => {
      await create({ fields: [{ name: 'age', type: 'number' }] })
      const cases = [
        [{ manager: { $ne: true } }, ['b', 'd']], [{ $not: { manager: true } }, ['b', 'd']], [{ 'name.last': { $nin: ['Webb', 'Floyd'] } }, ['b']],
        [{ $nor: [{ age: 22 }, { manager: true }] }, ['b', 'd']], [{ notes: { $allMatch: { n: { $gt: 0 } } } }, ['d']]
      ]
      for (const [selector, ids] of cases) {
        assert.equal((await db.post('_explain', { selector })).body.index.type, 'special', JSON.stringify(selector))
        assert.deepEqual(await found(selector), ids, JSON.stringify(selector))
      }
      assert.equal((await db.post('_explain', { selector: { age: { $ne: 22 } } })).body.index.type, type)
      assert.deepEqual(await found({ age: { $ne: 22 } }), ['b', 'c', 'd'])
      assert.deepEqual(await found({ $nor: [{ age: 22 }, { age: 33 }] }), ['b', 'd'])
    })

    it('may be several, if a request names one', async () => {
      await create({}, { ddoc: 'one', name: 'n' })
      await create({ partial_filter_selector: { age: { $gt: 30 } } }, { ddoc: 'old' })
      assert.deepEqual(await found({ $text: 'Ramona' }), ['a', 'd'])
      assert.deepEqual(await found({ $text: 'Ramona' }, { use_index: 'old' }), ['d'])
      await create({ default_field: { analyzer: 'keyword' } }, { ddoc: 'two' })
      assertRefused(await db.post('_find', { selector: { $text: 'Ramona' } }), 400, `multiple_${type}_indexes`, 'You must specify an index with the `use_index` parameter.')
      assert.deepEqual(await found({ $text: 'Ramona' }, { use_index: ['one', 'n'] }), ['a', 'd'])
    })

    it('are listed and deleted, and kept by a clean-up', async () => {
      await create({}, { ddoc: 'x', name: 'n' })
      await create({ fields: [{ name: 'motto', type: 'string' }] }, { ddoc: 'x', name: 'm' })
      const { body } = await db.get('_index')
      assert.deepEqual(body.indexes.map(({ name, type, def }) => [name, type, def.fields]), [['_all_docs', 'special', [{ _id: 'asc' }]], ['m', type, [{ motto: 'string' }]], ['n', type, []]])
      await find({ $text: 'fox' }, { use_index: ['x', 'n'] })
      for (const cleanup of ['_search_cleanup', '_nouveau_cleanup']) assert.equal((await db.post(cleanup, {})).status, 202)
      assert.deepEqual(await found({ $text: 'fox' }, { use_index: ['x', 'n'] }), ['c', 'd'])
      for (const name of ['m', 'n']) assert.deepEqual((await db.remove(`_index/x/${type}/${name}`)).body, { ok: true })
      assert.equal((await db.get('_design/x')).status, 404)
      assert.equal((await db.remove(`_index/x/${type}/n`)).status, 404)
    })

    it('refuse what CouchDB refuses', async () => {
      for (const fields of [[{ name: '', type: 'string' }], [{ name: 'a' }], ['a'], [{ name: 'a', type: 'x' }], 'some']) {
        const { status, body } = await create({ fields })
        assert.deepEqual([status, body.error], [400, 'invalid_index_fields_definition'])
      }
      assert.equal((await create([])).status, 400)
      assert.equal((await create({ other: 1 })).status, 400)
      await create()
      assert.equal((await db.post('_find', { selector: { $text: '"open' } })).status, 400)
    })
  })
}

describe('indexes of _find of the type nouveau', () => {
  const db = new TestDatabase()

  beforeEach(async () => {
    await db.post('_bulk_docs', { docs: PEOPLE })
    const fields = [{ name: 'name.first', type: 'string' }, { name: 'age', type: 'number' }, { name: 'motto', type: 'text' }]
    assert.equal((await db.post('_index', { type: 'nouveau', index: { fields }, ddoc: 'n', name: 'n' })).status, 200)
  })

  const find = async (selector, more = {}) => {
    const { status, body, text } = await db.post('_find', { selector, ...more })
    assert.equal(status, 200, text)
    return body.docs.map(({ _id }) => _id)
  }

  it('are in the design document as CouchDB has them', async () => {
    const { body: { nouveau, language } } = await db.get('_design/n')
    assert.equal(language, 'query')
    assert.deepEqual(nouveau.n.analyzer, { name: 'perfield', default: 'keyword', fields: { $default: 'standard' } })
    assert.deepEqual(nouveau.n.index.fields[0], { name: 'name.first', type: 'string' })
  })

  it('give hits that are alike by id', async () => {
    const { body: a } = await db.get('a')
    await db.put('a', { ...a, more: true })
    assert.deepEqual(await find({ age: { $gt: 5 } }), ['a', 'b', 'c', 'd'])
    assert.deepEqual(await find({ age: { $gte: 0 } }, { sort: [{ 'name.first:string': 'asc' }] }), ['c', 'a', 'd', 'b'])
    const { body } = await db.post('_find', { selector: { age: { $gt: 5 } }, limit: 3 })
    assert.deepEqual(await find({ age: { $gt: 5 } }, { bookmark: body.bookmark }), ['d'])
  })

  it('have Nouveau\'s syntax in $text, and words of fields of the type text', async () => {
    assert.deepEqual(await find({ $text: 'age\\:number>=48' }), ['b', 'd'])
    assert.deepEqual(await find({ $text: '(motto\\:text:quick motto\\:text:brown)@2' }), ['c'])
    assertRefused(await db.post('_find', { selector: { $text: '*ing' } }), 400, 'bad_request', 'Leading wildcard is not allowed: $default:*ing')
    assertRefused(await db.post('_find', { selector: { $text: 'age\\:number:x' } }), 400, 'bad_request', 'Could not parse text "x" using java.text.DecimalFormat')
  })

  it('give way to those of the type text', async () => {
    await db.post('_index', { type: 'text', index: {}, ddoc: 't' })
    const { body } = await db.post('_explain', { selector: { $text: 'Ramona' } })
    assert.equal(body.index.type, 'text')
    assert.equal((await db.post('_explain', { selector: { $text: 'Ramona' }, use_index: 'n' })).body.index.type, 'nouveau')
  })
})

for (const type of ['text', 'nouveau']) {
  describe(`indexes of _find of the type ${type}, in several shards`, () => {
    const db = new TestDatabase({ shards: 3 })
    const COUNT = 60

    beforeEach(async () => {
      assert.equal((await db.post('_index', { type, index: {} })).status, 200)
      await db.post('_bulk_docs', { docs: Array.from({ length: COUNT }, (_, i) => ({ _id: `d${i}`, n: i, kind: i % 2 === 0 ? 'even' : 'odd', motto: `${'fox '.repeat(i % 5)}and ${'dog '.repeat(i % 3)}` })) })
    })

    const pages = async request => {
      const ids = []
      for (let bookmark; ;) {
        const { status, body, text } = await db.post('_find', { ...request, limit: 7, bookmark })
        assert.equal(status, 200, text)
        if (body.docs.length === 0) return ids
        ids.push(...body.docs.map(({ _id }) => _id))
        bookmark = body.bookmark
      }
    }

    it('find all that match, in the order of the sort, page by page', async () => {
      const all = Array.from({ length: COUNT }, (_, i) => i)
      assert.deepEqual(await pages({ selector: { n: { $gt: 9 } }, sort: [{ 'n:number': 'desc' }] }), all.filter(n => n > 9).reverse().map(n => `d${n}`))
      assert.deepEqual((await pages({ selector: { $text: 'fox', kind: 'odd' } })).sort(), all.filter(n => n % 5 > 0 && n % 2 === 1).map(n => `d${n}`).sort())
    })

    it('give the best of each shard first', async () => {
      const ids = await pages({ selector: { $text: 'fox -dog' } })
      const foxes = ids.map(id => Number(id.slice(1)) % 5)
      assert.equal(foxes.length, 16)
      // Shards score by what they have, and all have few with one fox alone at their ends.
      assert.ok(foxes.slice(0, 4).every(n => n > 1) && foxes.slice(-2).every(n => n < 3), String(foxes))
      const { body } = await db.post('_find', { selector: { $text: 'fox -dog' }, limit: 100 })
      assert.deepEqual(body.docs.map(({ _id }) => _id), ids)
    })
  })
}
