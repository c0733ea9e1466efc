'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { assertRefused } = require('./support/refusal')
const { get, post, put, remove } = require('./support/request')

const FRUITS = [
  { _id: 'apple', item: 'apple', place: 'kitchen', state: 'new', price: 0.99, text: 'A red apple a day, said the doctor' },
  { _id: 'banana', item: 'banana', place: 'kitchen', state: 'new', price: 1.49, text: 'A yellow banana beside the apple' },
  { _id: 'carrot', item: 'carrot', place: 'kitchen', state: 'old', price: 0.75, text: 'Rabbits like a carrot' },
  { _id: 'date', item: 'date', place: 'lobby', state: 'unknown', price: 1.25, text: 'The doctor has a date with a doctor' }
]

const INDEX = `function (doc) {
  index("item", doc.item, { facet: true, store: true });
  index("place", doc.place, { facet: true });
  index("state", doc.state, { facet: true });
  index("price", doc.price, { facet: true, store: true });
  if (doc.text) index("default", doc.text, { store: true });
  if (doc.lon !== undefined) { index("lon", doc.lon); index("lat", doc.lat); }
}`

const NOUVEAU = `function (doc) {
  index("string", "item", doc.item, { store: true });
  index("string", "place", doc.place);
  index("double", "price", doc.price, { store: true });
  index("text", "default", doc.text);
}`

const DDOC = {
  indexes: { fruits: { analyzer: { name: 'standard' }, index: INDEX }, faulty: { index: 'function (doc) { index("_x", 1) }' }, odd: { analyzer: 'klingon', index: INDEX }, bare: {} },
  nouveau: { fruits: { default_analyzer: 'standard', index: NOUVEAU } }
}

const json = value => encodeURIComponent(JSON.stringify(value))

/** @see https://docs.couchdb.org/en/stable/api/ddoc/search.html */
describe('text search', () => {
  let db, url, nouveau

  beforeEach(async () => {
    db = `/test-${crypto.randomUUID()}`
    assert.ok([201, 202].includes((await put(`${db}?q=1`)).status))
    assert.equal((await post(`${db}/_bulk_docs`, { docs: FRUITS })).status, 201)
    assert.equal((await put(`${db}/_design/d`, DDOC)).status, 201)
    url = `${db}/_design/d/_search/fruits`
    nouveau = `${db}/_design/d/_nouveau/fruits`
  })
  afterEach(() => remove(db))

  /** @param {string} query */
  const ids = async query => {
    const { status, body, text } = await get(`${url}?${query}`)
    assert.equal(status, 200, text)
    return body.rows.map(({ id }) => id)
  }

  it('finds by terms, best first', async () => {
    assert.deepEqual(await ids('q=doctor'), ['date', 'apple'])
    assert.deepEqual(await ids('q=item:apple'), ['apple'])
    assert.deepEqual(await ids('query=apple%20carrot&limit=1'), ['carrot'])
    assert.deepEqual(await ids('q=none'), [])
    assert.deepEqual((await ids('q=*:*')).sort(), ['apple', 'banana', 'carrot', 'date'])
    const { body } = await post(url, { q: 'doctor', include_docs: true, include_fields: ['price'] })
    assert.equal(body.total_rows, 2)
    assert.deepEqual(body.rows.map(({ fields, doc }) => [fields, doc.item]), [[{ price: 1.25 }, 'date'], [{ price: 0.99 }, 'apple']])
    assert.ok(body.rows[0].order[0] > body.rows[1].order[0])
  })

  it('follows the documents', async () => {
    const { rev } = (await put(`${db}/elder`, { item: 'elder', place: 'garden', state: 'new', price: 2, text: 'doctor' })).body
    assert.deepEqual(await ids('q=place:garden'), ['elder'])
    assert.deepEqual(await ids('q=doctor'), ['elder', 'date', 'apple'])
    await put(`${db}/elder`, { _rev: rev, item: 'elder', place: 'cellar', state: 'new', price: 2 })
    assert.deepEqual(await ids('q=place:garden'), [])
    assert.deepEqual(await ids('q=doctor'), ['date', 'apple'])
    const doc = (await get(`${db}/elder`)).body
    await remove(`${db}/elder?rev=${doc._rev}`)
    assert.deepEqual(await ids('q=place:cellar'), [])
  })

  it('goes on from a bookmark', async () => {
    const seen = []
    let bookmark
    for (let i = 0; i < 6; i++) {
      const { body } = await post(url, { q: '*:*', limit: 1, bookmark, sort: '-price<number>' })
      bookmark = body.bookmark
      seen.push(...body.rows.map(({ id }) => id))
    }
    assert.deepEqual(seen, ['banana', 'date', 'apple', 'carrot'])
    assertRefused(await get(`${url}?q=*:*&bookmark=xyz`), 400, 'bad_request', 'Invalid bookmark parameter supplied')
  })

  it('sorts by fields and by distance', async () => {
    assert.deepEqual(await ids(`q=*:*&sort=${json('price')}`), ['carrot', 'apple', 'date', 'banana'])
    assert.deepEqual(await ids(`q=*:*&sort=${json(['-state<string>', 'price<number>'])}`), ['date', 'carrot', 'apple', 'banana'])
    for (const [id, lon, lat] of [['rome', 12.5, 41.9], ['oslo', 10.75, 59.9], ['bern', 7.45, 46.95]]) await put(`${db}/${id}`, { item: id, place: 'town', state: 'x', price: 0, lon, lat })
    assert.deepEqual(await ids(`q=place:town&sort=${json('<distance,lon,lat,11.6,48.1,km>')}`), ['bern', 'rome', 'oslo'])
    const { body } = await get(`${url}?q=item:oslo&sort=${json('<distance,lon,lat,11.6,48.1,km>')}`)
    assert.ok(Math.abs(body.rows[0].order[0] - 1313) < 5, body.rows[0].order[0])
  })

  it('refuses what names too much, or is repeated too often', async () => {
    const many = length => Array.from({ length }, (_, i) => `f${i}`)
    const lists = {
      counts: many,
      include_fields: many,
      highlight_fields: many,
      sort: length => many(length).map(name => `${name}<string>`),
      drilldown: length => many(length).map(name => [name, 'x']),
      ranges: length => Object.fromEntries(many(length / 2).map(name => [name, { low: '[0 TO 9]' }]))
    }
    for (const [name, make] of Object.entries(lists)) {
      assert.equal((await post(url, { q: '*:*', [name]: make(1000) })).status, 200, name)
      assertRefused(await post(url, { q: '*:*', [name]: make(1026) }), 400, 'bad_request', `${name} has more than 1024 entries`)
    }
    assertRefused(await post(url, { q: '*:*', counts: many(10_000) }), 400, 'bad_request', 'counts has more than 1024 entries')
    for (const name of ['highlight_pre_tag', 'highlight_post_tag']) {
      assert.equal((await post(url, { q: 'doctor', highlight_fields: ['default'], [name]: 'x'.repeat(128) })).status, 200)
      assertRefused(await post(url, { q: 'doctor', highlight_fields: ['default'], [name]: 'x'.repeat(1_000_000) }), 400, 'bad_request', `${name} is longer than 128 characters`)
    }
  })

  it('counts facets and drills down', async () => {
    const { body } = await get(`${url}?q=*:*&limit=0&counts=${json(['place'])}&ranges=${json({ price: { cheap: '[0 TO 0.99]', expensive: '[1.00 TO Infinity]' } })}`)
    assert.deepEqual(body.counts, { place: { kitchen: 3, lobby: 1 } })
    assert.deepEqual(body.ranges, { price: { cheap: 2, expensive: 2 } })
    assert.deepEqual((await get(`${url}?q=item:tomato&counts=${json(['place'])}`)).body.counts, { place: {} })
    assert.deepEqual((await ids(`q=*:*&drilldown=${json(['place', 'kitchen'])}`)).sort(), ['apple', 'banana', 'carrot'])
    assert.deepEqual((await ids(`q=*:*&drilldown=${json(['state', 'new', 'unknown'])}`)).sort(), ['apple', 'banana', 'date'])
    assert.deepEqual(await ids(`q=*:*&drilldown=${json(['state', 'old'])}&drilldown=${json(['item', 'apple'])}`), [])
    assertRefused(await get(`${url}?q=*:*&drilldown=${json(['state', 'old'])}&drilldown=${json(['state', 'new'])}`), 400, 'bad_request', "dimension 'state' was already added")
    assert.deepEqual((await ids(`q=*:*&drilldown=${json(['place'])}`)).sort(), ['apple', 'banana', 'carrot', 'date'])
    assert.deepEqual(await ids(`q=*:*&drilldown=${json(['default'])}`), [])
    assertRefused(await get(`${url}?q=*:*&drilldown=[]`), 400, 'bad_request', 'drilldown must be a list of a field and values')
    assert.deepEqual((await post(url, { q: '*:*', drilldown: [['place', 'kitchen'], ['state', 'new'], ['item', 'apple']] })).body.rows.map(({ id }) => id), ['apple'])
  })

  it('groups', async () => {
    const { body } = await get(`${url}?q=*:*&group_field=state&group_limit=5&group_sort=${json('-price<number>')}`)
    assert.equal(body.total_rows, 4)
    assert.deepEqual(body.groups.map(({ by, total_rows: total, rows }) => [by, total, rows.map(({ id }) => id)]), [['new', 2, ['apple', 'banana']], ['unknown', 1, ['date']], ['old', 1, ['carrot']]])
  })

  it('marks what it found', async () => {
    const { body } = await get(`${url}?q=doctor&highlight_fields=${json(['default'])}&highlight_pre_tag=${json('<b>')}&highlight_post_tag=${json('</b>')}`)
    assert.deepEqual(body.rows[0].highlights, { default: ['The <b>doctor</b> has a date with a <b>doctor</b>'] })
  })

  it('describes an index, and drops those that are not wanted', async () => {
    await ids('q=*:*')
    const { body } = await get(`${db}/_design/d/_search_info/fruits`)
    assert.equal(body.name, '_design/d/fruits')
    assert.equal(body.search_index.doc_count, 4)
    assert.ok(body.search_index.disk_size > 0)
    assert.match(body.search_index.signature, /^[0-9a-f]{32}$/)
    for (const path of ['_search_cleanup', '_nouveau_cleanup']) {
      const answer = await post(`${db}/${path}`, {})
      assert.deepEqual([answer.status, answer.body], [202, { ok: true }])
    }
    assert.deepEqual((await ids('q=doctor')), ['date', 'apple'])
  })

  it('refuses what CouchDB refuses', async () => {
    assertRefused(await get(url), 400, 'query_parse_error', "Query must include a 'q' or 'query' argument")
    assertRefused(await get(`${url}?q=a&limit=201`), 400, 'query_parse_error', 'Value for limit is too large, must not exceed 200')
    assertRefused(await get(`${url}?q=a&limit=-1`), 400, 'query_parse_error', 'limit must be greater than or equal to zero')
    assertRefused(await get(`${url}?q=a&partition=p`), 400, 'bad_request', '`partition` not supported on this index')
    assertRefused(await get(`${url}?q=a&stale=no`), 400, 'query_parse_error', 'stale only available as stale=ok')
    assertRefused(await get(`${db}/_design/d/_search/none?q=a`), 404, 'not_found', 'none not found.')
    assertRefused(await get(`${db}/_design/none/_search/none?q=a`), 404, 'not_found', 'missing')
    assertRefused(await get(`${db}/_design/d/_search/bare?q=a`), 400, 'invalid_design_doc', 'index `bare` must have parameter `index`')
    assert.equal((await get(`${db}/_design/d/_search/odd?q=a`)).status, 400)
    assertRefused(await put(url, {}), 405, 'method_not_allowed', 'Only GET,POST allowed')
    assert.deepEqual((await get(`${db}/_design/d/_search/faulty?q=*:*`)).body.rows, [])
  })

  it('refuses bookmarks of another order', async () => {
    const bookmark = keys => Buffer.from(JSON.stringify(keys)).toString('base64url')
    for (const [given, keys] of [[{}, ['a', 1]], [{}, [1]], [{}, [1, 'a']], [{}, [{}, 1]], [{ sort: 'item<string>' }, [5, 1]], [{ sort: 'price<number>' }, ['a', 1]]]) {
      assertRefused(await post(url, { q: '*:*', ...given, bookmark: bookmark(keys) }), 400, 'bad_request', 'Invalid bookmark parameter supplied')
    }
    assertRefused(await post(nouveau, { q: '*:*', bookmark: bookmark([1, 2, 3]) }), 400, 'bad_request', 'Invalid bookmark parameter supplied')
    assert.equal((await post(url, { q: '*:*', sort: 'item<string>', bookmark: bookmark(['banana', 1]) })).body.rows.length, 3)
  })

  it('cleans up beside a design document whose indexes make no sense', async () => {
    await put(`${db}/_design/x`, { indexes: [{ name: 'foo', ddoc: 'bar', type: 'text' }] })
    assert.equal((await post(`${db}/_search_cleanup`, {})).status, 202)
  })

  it('shows terms', async () => {
    assert.deepEqual((await post('/_search_analyze', { analyzer: 'english', text: 'running foxes' })).body, { tokens: ['run', 'fox'] })
    assert.deepEqual((await get('/_search_analyze?analyzer=whitespace&text=A%20b')).body, { tokens: ['A', 'b'] })
    assert.deepEqual((await post('/_nouveau_analyze', { analyzer: 'standard', text: 'The fox' })).body, { tokens: ['the', 'fox'] })
    assertRefused(await post('/_search_analyze', { analyzer: 'klingon', text: 'a' }), 400, 'unknown_error', 'no_such_analyzer: klingon')
    assertRefused(await post('/_nouveau_analyze', { analyzer: 'klingon', text: 'a' }), 400, 'bad_request', 'klingon is not a valid analyzer name')
    assertRefused(await post('/_search_analyze', { text: 'a' }), 400, 'bad_request', 'analyzer parameter is mandatory')
    assertRefused(await post('/_search_analyze', { analyzer: 'standard' }), 400, 'bad_request', 'text parameter is mandatory')
    const long = 'あ'.repeat(2 ** 16 + 1)
    for (const path of ['/_search_analyze', '/_nouveau_analyze']) {
      assert.equal((await post(path, { analyzer: 'japanese', text: long.slice(1) })).status, 200)
      assertRefused(await post(path, { analyzer: 'japanese', text: long }), 400, 'bad_request', 'text parameter must not be longer than 65536 characters')
    }
  })

  it('answers as Nouveau does', async () => {
    const { body } = await get(`${nouveau}?q=doctor&include_docs=true`)
    assert.equal(body.total_hits, 2)
    assert.equal(body.total_hits_relation, 'EQUAL_TO')
    assert.deepEqual(body.hits.map(({ id, fields, doc }) => [id, fields, doc._id]), [['date', { item: 'date', price: 1.25 }, 'date'], ['apple', { item: 'apple', price: 0.99 }, 'apple']])
    assert.equal(body.hits[0].order[0]['@type'], 'float')
    for (const name of ['counts', 'sort']) assertRefused(await post(nouveau, { q: '*:*', [name]: Array(1025).fill('place') }), 400, 'bad_request', `${name} has more than 1024 entries`)
    const facets = await post(nouveau, { q: '*:*', counts: ['place'], ranges: { price: [{ label: 'cheap', min: 0, max: 0.99 }, { label: 'dear', min: 1.0 }] }, sort: '-price<double>' })
    assert.deepEqual(facets.body.counts, { place: { kitchen: 3, lobby: 1 } })
    assert.deepEqual(facets.body.ranges, { price: { cheap: 2, dear: 2 } })
    assert.deepEqual(facets.body.hits.map(({ id }) => id), ['banana', 'date', 'apple', 'carrot'])
    const { search_index: info } = (await get(`${db}/_design/d/_nouveau_info/fruits`)).body
    assert.equal(info.num_docs, 4)
    assertRefused(await get(nouveau), 400, 'query_parse_error', 'q parameter is mandatory')
    assertRefused(await get(`${nouveau}?q=a&limit=0`), 400, 'query_parse_error', 'limit parameter must be greater than zero')
  })
})

describe('text search in several shards', () => {
  const db = `/test-${crypto.randomUUID()}`
  const url = `${db}/_design/d/_search/fruits`

  before(async () => {
    assert.ok([201, 202].includes((await put(`${db}?q=3`)).status))
    const docs = Array.from({ length: 60 }, (_, i) => ({ _id: `d${i}`, item: `item${i}`, place: i % 3 === 0 ? 'lobby' : 'kitchen', state: `s${i % 4}`, price: i, text: 'all of them' }))
    assert.equal((await post(`${db}/_bulk_docs`, { docs })).status, 201)
    assert.equal((await put(`${db}/_design/d`, DDOC)).status, 201)
  })
  after(() => remove(db))

  it('merges hits in their order, page by page', async () => {
    for (const place of ['_search', '_nouveau']) {
      const seen = []
      let bookmark
      for (let i = 0; i < 7; i++) {
        const { body, text, status } = await post(url.replace('_search', place), { q: place === '_search' ? 'them' : 'place:kitchen place:lobby', limit: 10, bookmark, sort: ['-price<number>'] })
        assert.equal(status, 200, text)
        assert.equal(body.total_rows ?? body.total_hits, 60)
        bookmark = body.bookmark
        seen.push(...(body.rows ?? body.hits).map(({ id }) => id))
      }
      assert.deepEqual(seen, Array.from({ length: 60 }, (_, i) => `d${59 - i}`))
    }
  })

  it('adds up counts and groups', async () => {
    const { body } = await get(`${url}?q=*:*&limit=0&counts=${json(['place'])}&ranges=${json({ price: { low: '[0 TO 9]' } })}`)
    assert.deepEqual([body.counts, body.ranges], [{ place: { kitchen: 40, lobby: 20 } }, { price: { low: 10 } }])
    const { body: { groups } } = await get(`${url}?q=*:*&group_field=state&group_limit=2&group_sort=${json('-price<number>')}&sort=${json('price<number>')}&limit=3`)
    assert.deepEqual(groups.map(({ by, total_rows: total, rows }) => [by, total, rows.map(({ id }) => id)]), [['s3', 15, ['d3', 'd7']], ['s2', 15, ['d2', 'd6']], ['s1', 15, ['d1', 'd5']]])
  })

  it('describes and cleans up all', async () => {
    assert.equal((await get(`${db}/_design/d/_search_info/fruits`)).body.search_index.doc_count, 60)
    assert.equal((await post(`${db}/_search_cleanup`, {})).status, 202)
    assertRefused(await get(`${url}?q=a&bookmark=abc`), 400, 'bad_request', 'Invalid bookmark parameter supplied')
  })
})

describe('text search in partitions', () => {
  let db

  beforeEach(async () => {
    db = `/test-${crypto.randomUUID()}`
    assert.ok([201, 202].includes((await put(`${db}?partitioned=true&q=1`)).status))
    await post(`${db}/_bulk_docs`, { docs: Array.from({ length: 10 }, (_, i) => ({ _id: `${i % 2 === 0 ? 'foo' : 'bar'}:${i + 1}`, some: 'field' })) })
    const index = 'function (doc) { if (doc.some) index("some", doc.some) }'
    await put(`${db}/_design/d`, { indexes: { books: { index } }, nouveau: { books: { index: 'function (doc) { if (doc.some) index("text", "some", doc.some) }' } } })
    await put(`${db}/_design/whole`, { options: { partitioned: false }, indexes: { books: { index } } })
  })
  afterEach(() => remove(db))

  it('is of one partition at a time', async () => {
    const url = `${db}/_partition/foo/_design/d/_search/books`
    const ids = async query => (await get(`${url}?q=some:field&${query}`)).body.rows.map(({ id }) => id)
    assert.deepEqual(await ids(''), ['foo:1', 'foo:3', 'foo:5', 'foo:7', 'foo:9'])
    const { bookmark } = (await get(`${url}?q=some:field&limit=3`)).body
    assert.deepEqual(await ids(`limit=3&bookmark=${bookmark}`), ['foo:7', 'foo:9'])
    assert.equal((await post(`${url}`, { q: 'some:field' })).body.total_rows, 5)
    assert.equal((await get(`${url}?q=some:field&limit=2001`)).status, 400)
    assert.equal((await get(`${url.replace('_search', '_nouveau')}?q=some:field`)).body.total_hits, 5)
  })

  it('refuses what has no partition, or should have none', async () => {
    assertRefused(await get(`${db}/_design/d/_search/books?q=some:field`), 400, 'bad_request', '`partition` parameter is mandatory for queries to this index.')
    assertRefused(await get(`${db}/_partition/foo/_design/whole/_search/books?q=some:field`), 400, 'bad_request', '`partition` not supported on this index')
    assertRefused(await get(`${db}/_partition/foo/_design/d/_search/books?q=some:field&counts=["x"]`), 400, 'bad_request', '`partition` and any of `drilldown`, `ranges`, `group_field`, `group_sort`, `group_limit` or `group_by` are incompatible')
    assert.equal((await get(`${db}/_design/whole/_search/books?q=some:field`)).body.total_rows, 10)
  })
})
