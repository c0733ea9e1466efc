'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')

const json = value => encodeURIComponent(JSON.stringify(value))

/** Tests what CouchDB's guide to views shows, in examples of our own: https://docs.couchdb.org/en/stable/ddocs/views/ */
describe('views as CouchDB\'s documentation shows them', () => {
  const db = new TestDatabase()
  const rows = async (name, query = '') => {
    const { status, body, text } = await db.get(`_design/d/_view/${name}?${query}`)
    assert.equal(status, 200, text)
    return body.rows
  }
  const ids = async (...args) => (await rows(...args)).map(({ id }) => id)
  const keys = async (...args) => (await rows(...args)).map(({ key }) => key)
  const write = async (views, ...docs) => {
    assert.equal((await db.put('_design/d', { views })).status, 201)
    assert.equal((await db.post('_bulk_docs', { docs })).status, 201)
  }

  describe('introduction', () => {
    const posts = [
      { _id: 'cat', title: 'A cat', date: '2024/02/17 21:13:39', tags: ['home', 'cool'] },
      { _id: 'hello', title: 'Hello', date: '2024/01/15 15:52:20', tags: [] },
      { _id: 'bikes', title: 'Bikes', date: '2024/01/30 18:04:11', tags: ['cool', 'wheels'] },
      { _id: 'draft', title: 'No date' }
    ]

    beforeEach(() => write({
      by_date: { map: 'function (doc) { if (doc.date && doc.title) emit(doc.date, doc.title) }' },
      by_parts: { map: 'function (doc) { if (doc.date) emit(doc.date.split(/\\D/).map(Number), doc.title) }' },
      by_tag: { map: 'function (doc) { if (doc.tags && doc.tags.length > 0) for (var i in doc.tags) emit(doc.tags[i], null) }' }
    }, ...posts))

    it('lists posts by their dates', async () => {
      assert.deepEqual(await rows('by_date'), [
        { id: 'hello', key: '2024/01/15 15:52:20', value: 'Hello' },
        { id: 'bikes', key: '2024/01/30 18:04:11', value: 'Bikes' },
        { id: 'cat', key: '2024/02/17 21:13:39', value: 'A cat' }
      ])
    })

    it('finds one', async () => assert.deepEqual(await ids('by_date', `key=${json('2024/01/30 18:04:11')}`), ['bikes']))

    it('finds those of a month', async () => {
      assert.deepEqual(await ids('by_date', `startkey=${json('2024/01/01 00:00:00')}&endkey=${json('2024/02/00 00:00:00')}`), ['hello', 'bikes'])
      assert.deepEqual(await ids('by_parts', `startkey=${json([2024, 1, 1, 0, 0, 0])}&endkey=${json([2024, 2, 1, 0, 0, 0])}`), ['hello', 'bikes'])
      assert.deepEqual(await ids('by_parts', `startkey=${json([2024, 2])}&endkey=${json([2024, 2, {}])}`), ['cat'])
    })

    it('emits once for each tag', async () => assert.deepEqual(await keys('by_tag'), ['cool', 'cool', 'home', 'wheels']))

    it('reads backwards from where a range starts', async () => {
      const date = json('2024/01/30 18:04:11')
      assert.deepEqual(await ids('by_date', `descending=true&startkey=${date}`), ['bikes', 'hello'])
      assert.deepEqual(await ids('by_date', `descending=true&endkey=${date}`), ['cat', 'bikes'])
    })
  })

  it('counts comments by post, author and all, with one view', async () => {
    const paths = [['a', 'b', 'c'], ['a', 'b', 'e'], ['a', 'c', 'm'], ['b', 'a', 'c'], ['b', 'a', 'g']]
    const map = 'function (doc) { emit(doc.path, 1) }'
    await write({
      sum: { map, reduce: '_sum' },
      own: { map, reduce: 'function (keys, values, rereduce) { return sum(values) }' }
    }, ...paths.map(path => ({ path })))
    for (const name of ['sum', 'own']) {
      assert.deepEqual(await rows(name), [{ key: null, value: 5 }])
      assert.deepEqual(await rows(name, 'group_level=1'), [{ key: ['a'], value: 3 }, { key: ['b'], value: 2 }])
      assert.deepEqual(await rows(name, 'group_level=2'), [{ key: ['a', 'b'], value: 2 }, { key: ['a', 'c'], value: 1 }, { key: ['b', 'a'], value: 2 }])
      assert.deepEqual(await rows(name, 'group=true'), paths.map(key => ({ key, value: 1 })))
      assert.deepEqual(await rows(name, `startkey=${json(['a', 'b'])}&endkey=${json(['a', 'b', {}])}`), [{ key: null, value: 2 }])
      assert.equal((await rows(name, 'reduce=false')).length, 5)
    }
  })

  describe('collation', () => {
    const sorted = [
      null, false, true, 1, 2, 3, 4, 'a', 'A', 'aa', 'b', 'B', 'ba', 'bb',
      ['a'], ['b'], ['b', 'c'], ['b', 'c', 'a'], ['b', 'd'], ['b', 'd', 'e'],
      { a: 1 }, { a: 2 }, { b: 1 }, { b: 2 }, { b: 2, a: 1 }, { b: 2, c: 2 }
    ]
    const raw = [1, 2, 3, 4, false, null, true, { a: 1 }, { a: 2 }, { b: 1 }, { b: 2 }, { b: 2, a: 1 }, { b: 2, c: 2 }]

    beforeEach(() => write({
      keys: { map: 'function (doc) { emit(doc.key, null) }' },
      raw: { map: 'function (doc) { emit(doc.key, null) }', options: { collation: 'raw' } }
    }, ...sorted.map((key, i) => ({ _id: String(97 * i % 100), key }))))

    it('sorts by type, text by ICU, arrays and objects member by member', async () => {
      assert.deepEqual(await keys('keys'), sorted)
      assert.deepEqual(await keys('keys', 'descending=true'), [...sorted].reverse())
    })

    it('finds each key, and what lies between two', async () => {
      for (const key of sorted) assert.deepEqual(await keys('keys', `key=${json(key)}`), [key])
      assert.deepEqual(await keys('keys', `startkey=${json('a')}&endkey=${json('b')}`), ['a', 'A', 'aa', 'b'])
      assert.deepEqual(await keys('keys', `startkey=${json(['b'])}&endkey=${json(['b', {}])}`), [['b'], ['b', 'c'], ['b', 'c', 'a'], ['b', 'd'], ['b', 'd', 'e']])
    })

    it('includes an end, or excludes it', async () => {
      assert.deepEqual(await keys('keys', `endkey=${json('b')}&startkey=${json('aa')}`), ['aa', 'b'])
      assert.deepEqual(await keys('keys', `endkey=${json('b')}&startkey=${json('aa')}&inclusive_end=false`), ['aa'])
    })

    it('finds what begins with a text below a high character', async () => {
      assert.deepEqual(await keys('keys', `startkey=${json('b')}&endkey=${json('b\ufff0')}`), ['b', 'B', 'ba', 'bb'])
    })

    it('may be raw', async () => {
      assert.deepEqual((await keys('raw')).slice(0, raw.length), raw)
      assert.deepEqual(await keys('raw', `startkey=${json('A')}&endkey=${json('b')}`), ['A', 'B', 'a', 'aa', 'b'])
    })
  })

  describe('joins', () => {
    it('put orders below their customers', async () => {
      const map = 'function (doc) { if (doc.type === "customer") emit([doc._id, 0], null); else emit([doc.customer, 1], null) }'
      await write({ v: { map } }, { _id: 'o1', customer: 'joe' }, { _id: 'ann', type: 'customer' }, { _id: 'o2', customer: 'ann' }, { _id: 'joe', type: 'customer' }, { _id: 'o3', customer: 'joe' })
      assert.deepEqual(await ids('v'), ['ann', 'o2', 'joe', 'o1', 'o3'])
      assert.deepEqual(await ids('v', `startkey=${json(['joe'])}&endkey=${json(['joe', {}])}`), ['joe', 'o1', 'o3'])
      const found = await rows('v', `startkey=${json(['joe'])}&endkey=${json(['joe', 2])}&include_docs=true`)
      assert.deepEqual(found.map(({ doc }) => doc.customer), [undefined, 'joe', 'joe'])
    })

    it('bring the documents that values name', async () => {
      const map = 'function (doc) { emit([doc.text, 0], null); for (var i in doc.ancestors || []) emit([doc.text, Number(i) + 1], { _id: doc.ancestors[i] }) }'
      await write({ v: { map } }, { _id: 'top', text: 'hello' }, { _id: 'middle', ancestors: ['top'], text: 'top there' }, { _id: 'leaf', ancestors: ['middle', 'top'], text: 'up' })
      const found = await rows('v', 'include_docs=true')
      assert.deepEqual(found.map(({ id, key, doc }) => [id, key[1], doc._id]), [
        ['top', 0, 'top'], ['middle', 0, 'middle'], ['middle', 1, 'top'], ['leaf', 0, 'leaf'], ['leaf', 1, 'middle'], ['leaf', 2, 'top']
      ])
      assert.deepEqual((await rows('v', `key=${json(['up', 2])}`))[0], { id: 'leaf', key: ['up', 2], value: { _id: 'top' } })
    })
  })

  describe('a cookbook', () => {
    it('finds prefixes and suffixes', async () => {
      const map = 'function (doc) { for (var i = 0; i < doc.name.length; i++) emit(doc.name.slice(i), null) }'
      await write({ suffixes: { map } }, { _id: '1', name: 'potoroo' }, { _id: '2', name: 'kangaroo' })
      assert.deepEqual(await ids('suffixes', `startkey=${json('ro')}&endkey=${json('ro\ufff0')}`), ['1', '2'])
      assert.deepEqual(await ids('suffixes', `startkey=${json('oro')}&endkey=${json('oro\ufff0')}`), ['1'])
    })

    it('aggregates, and makes values unique', async () => {
      const map = 'function (doc) { doc.tags.forEach(function (tag) { emit(tag, 1) }) }'
      await write({ tags: { map, reduce: '_sum' } }, { tags: ['x', 'y'] }, { tags: ['y', 'z'] }, { tags: ['y'] })
      assert.deepEqual(await rows('tags', 'group=true'), [{ key: 'x', value: 1 }, { key: 'y', value: 3 }, { key: 'z', value: 1 }])
      assert.deepEqual(await rows('tags', `group=true&keys=${json(['z', 'x', 'nothing'])}`), [{ key: 'z', value: 1 }, { key: 'x', value: 1 }])
      assert.deepEqual(await rows('tags', `key=${json('y')}`), [{ key: null, value: 3 }])
      assert.deepEqual(await rows('tags', `keys=${json(['y'])}`), [{ key: null, value: 3 }])
    })
  })

  describe('pagination', () => {
    const names = [...'aabbbbbbccd']

    beforeEach(() => write({ names: { map: 'function (doc) { emit(doc.name, null) }' } }, ...names.map((name, i) => ({ _id: `n${String(i).padStart(2, '0')}`, name }))))

    it('goes by limit and skip', async () => {
      const { body } = await db.get('_design/d/_view/names?limit=3&skip=6')
      assert.deepEqual([body.total_rows, body.offset, body.rows.map(({ id }) => id)], [11, 6, ['n06', 'n07', 'n08']])
      assert.deepEqual((await db.get('_design/d/_view/names?skip=20')).body, { total_rows: 11, offset: 11, rows: [] })
    })

    it('goes by the row after the page, and its document', async () => {
      const seen = []
      for (let next = ''; next !== undefined;) {
        const page = await rows('names', `limit=4${next}`)
        seen.push(...page.slice(0, 3).map(({ id }) => id))
        next = page.length === 4 ? `&startkey=${json(page[3].key)}&startkey_docid=${page[3].id}` : undefined
      }
      assert.deepEqual(seen, names.map((_, i) => `n${String(i).padStart(2, '0')}`))
    })

    it('ends at a document, too', async () => {
      const key = json('b')
      assert.deepEqual(await ids('names', `startkey=${key}&startkey_docid=n04&endkey=${key}&endkey_docid=n06`), ['n04', 'n05', 'n06'])
      assert.deepEqual(await ids('names', `startkey=${key}&start_key_doc_id=n06&endkey=${key}&end_key_doc_id=n04&descending=true`), ['n06', 'n05', 'n04'])
      assert.deepEqual(await ids('names', `startkey=${key}&endkey=${key}&endkey_docid=n04&inclusive_end=false`), ['n02', 'n03'])
      assert.deepEqual(await ids('names', 'startkey_docid=n09'), await ids('names'), 'without a key a document says nothing')
    })
  })
})
