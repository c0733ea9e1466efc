'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { assertRefused } = require('./support/refusal')
const { get, post, put, remove } = require('./support/request')
const { setting } = require('./support/setting')

const BIRDS = [
  { _id: 'robin', name: 'robin', grams: 42, song: 'trill trill chirp' },
  { _id: 'owl', name: 'barn owl', grams: 12.5, song: 'trill' },
  { _id: 'crow', name: 'crow', grams: 0, song: 'chirp' },
  { _id: 'gull', name: 'gull', grams: 100, song: 'cry' }
]

const INDEX = `function (doc) {
  index("string", "name", doc.name, { store: true });
  index("double", "grams", doc.grams, { store: true });
  index("stored", "label", doc.name);
  if (doc.song) index("text", "song", doc.song);
}`

/** @see https://docs.couchdb.org/en/stable/ddocs/nouveau.html */
describe('search as Nouveau', () => {
  let db, url

  const make = async (parameters = '', index = INDEX) => {
    db = `/test-${crypto.randomUUID()}`
    assert.ok([201, 202].includes((await put(db + parameters)).status))
    url = `${db}/_design/d/_nouveau/birds`
    assert.equal((await post(`${db}/_bulk_docs`, { docs: BIRDS })).status, 201)
    assert.equal((await put(`${db}/_design/d`, { nouveau: { birds: { default_analyzer: 'standard', field_analyzers: { name: 'keyword' }, index } } })).status, 201)
  }
  const search = async given => {
    const { status, body, text } = await post(url, { include_docs: true, ...given })
    assert.equal(status, 200, text)
    return body
  }
  const ids = async given => (await search(given)).hits.map(({ doc }) => doc._id)

  beforeEach(() => make('?q=1'))
  afterEach(() => remove(db))

  it('gives all hits by relevance, those that are alike by id, page by page', async () => {
    assert.deepEqual(await ids({ q: '*:*' }), ['crow', 'gull', 'owl', 'robin'])
    const { body: { hits, bookmark } } = await get(`${url}?q=*:*&limit=3`)
    assert.deepEqual(hits.map(({ id }) => id), ['crow', 'gull', 'owl'])
    assert.deepEqual(hits[0].order, [{ '@type': 'float', value: 1 }, { '@type': 'string', value: 'crow' }])
    assert.deepEqual(await ids({ q: '*:*', bookmark }), ['robin'])
    const { body: { rev } } = await put(`${db}/crow`, { ...BIRDS[2], _rev: (await get(`${db}/crow`)).body._rev, more: true })
    assert.ok(rev)
    assert.deepEqual(await ids({ q: '*:*' }), ['crow', 'gull', 'owl', 'robin'])
  })

  it('orders by relevance either way', async () => {
    const best = ['owl', 'robin']
    assert.deepEqual(await ids({ q: 'song:trill' }), best)
    for (const [sort, wanted] of [['-<score>', best], ['<score>', [...best].reverse()]]) {
      const { hits } = await search({ q: 'song:trill', sort })
      assert.deepEqual(hits.map(({ id }) => id), wanted)
      const [first, second] = hits.map(({ order }) => order[0].value)
      assert.equal(first > second, sort === '-<score>')
    }
  })

  it('has Nouveau\'s types of fields', async () => {
    assert.deepEqual(await ids({ q: 'name:"barn owl"' }), ['owl'])
    assert.deepEqual(await ids({ q: 'name:barn' }), [])
    assert.deepEqual(await ids({ q: 'grams:12.5' }), ['owl'])
    assert.deepEqual(await ids({ q: 'grams>=42' }), ['gull', 'robin'])
    assert.deepEqual(await ids({ q: 'grams:{0 TO 42]' }), ['owl', 'robin'])
    assert.deepEqual((await search({ q: 'grams:0' })).hits[0].fields, { name: 'crow', grams: 0, label: 'crow' })
    for (const [sort, wanted] of [['name', 'owl crow gull robin'], ['-name', 'robin gull crow owl'], ['grams', 'crow owl robin gull'], ['-grams<double>', 'gull robin owl crow'], [['_id'], 'crow gull owl robin'], ['-_id', 'robin owl gull crow'], ['nothing', 'crow gull owl robin']]) {
      assert.deepEqual(await ids({ q: '*:*', sort }), wanted.split(' '), String(sort))
    }
    assertRefused(await post(url, { q: '*:*', sort: 'song' }), 400, 'bad_request', "can't sort on field song")
    assertRefused(await post(url, { q: '*:*', sort: 'a b' }), 400, 'bad_request', 'a b is not a valid sort parameter')
  })

  it('reads numbers in the language that is said', async () => {
    assert.deepEqual(await ids({ q: 'grams:[10.0 TO 20.0]', locale: 'us' }), ['owl'])
    assert.deepEqual(await ids({ q: 'grams:[10.0 TO 20.0]', locale: 'de' }), ['gull'])
    assert.equal((await get(`${url}?q=grams:12,5&locale=de`)).body.total_hits, 1)
    assertRefused(await post(url, { q: 'grams:some' }), 400, 'bad_request', 'Could not parse text "some" using java.text.DecimalFormat')
    assertRefused(await post(url, { q: 'grams:1', locale: 7 }), 400, 'query_parse_error', 'Invalid value for locale: 7')
  })

  it('has the syntax of Lucene\'s standard parser', async () => {
    assert.deepEqual(await ids({ q: '(song:trill song:chirp name:robin)@2' }), ['robin'])
    assert.deepEqual(await ids({ q: 'song:(chirp AND NOT trill)' }), ['crow'])
    assertRefused(await post(url, { q: '*rill' }), 400, 'bad_request', 'Leading wildcard is not allowed: default:*rill')
    assertRefused(await post(url, { q: 'a AND' }), 400, 'bad_request', 'Syntax Error, cannot parse a AND:  ')
  })

  it('finds places of words by functions of intervals', async () => {
    const documents = [['a', 'red fox and brown dog'], ['b', 'brown dog, red fox'], ['c', 'red, very old and very tired, fox'], ['d', 'fox red']]
    for (const parameters of ['?q=1', '?q=4', '?q=2&partitioned=true']) {
      await remove(db)
      await make(parameters === '?q=2&partitioned=true' ? '?q=2' : parameters)
      const partition = parameters.includes('partitioned') ? 'p:' : ''
      if (partition !== '') {
        await remove(db)
        await put(db + parameters)
        await put(`${db}/_design/d`, { nouveau: { birds: { index: INDEX } } })
        url = `${db}/_partition/p/_design/d/_nouveau/birds`
        await put(`${db}/other:a`, { name: 'other', grams: 1, song: 'red fox' })
      }
      await post(`${db}/_bulk_docs`, { docs: documents.map(([id, song]) => ({ _id: partition + id, name: id, grams: 1, song })) })
      for (const [q, wanted] of [
        ['song:fn:ordered(red fox)', 'a b c'], ['song:fn:phrase(red fox)', 'a b'], ['song:fn:maxgaps(0 fn:unordered(red fox))', 'a b d'],
        ['song:fn:before(fox dog) AND NOT song:tired', 'a'], ['(song:fn:ordered(fn:wildcard(re*) fn:fuzzyTerm(fix)))^2 song:tired', 'a b c'], ['fn:ordered(red fox)', '']
      ]) {
        const { hits } = (await post(url, { q })).body
        assert.deepEqual(hits.map(({ id }) => id.slice(partition.length)), wanted.split(' ').filter(Boolean), `${parameters} ${q}`)
      }
    }
    assertRefused(await post(url, { q: 'fn:nothing(a)' }), 400, 'bad_request', 'Syntax Error, cannot parse fn:nothing(a): Lexical error at line 1, column 4. ')
    assertRefused(await post(url, { q: `${'fn:or('.repeat(10_000)}a` }), 400, 'bad_request', /more than 256 parentheses are open/)
    assertRefused(await post(url, { q: 'song:fn:wildcard(* 1)' }), 400, 'bad_request', 'Automaton [*] expanded to too many terms (limit 1)')
  })

  it('counts values and ranges, as many as are asked for', async () => {
    assert.deepEqual((await search({ q: '*:*', counts: ['name'] })).counts, { name: { 'barn owl': 1, crow: 1, gull: 1, robin: 1 } })
    const ranges = { grams: [{ label: 'light', max: 42 }, { label: 'heavy', min: 42, min_inclusive: false }] }
    assert.deepEqual((await search({ q: '*:*', ranges })).ranges, { grams: { light: 3, heavy: 1 } })
    assert.deepEqual((await search({ q: '*:*', ranges, top_n: 1 })).ranges, { grams: { light: 3 } })
    assert.equal(Object.keys((await search({ q: '*:*', counts: ['name'], top_n: 2 })).counts.name).length, 2)
  })

  it('refuses to ask a field that has two types', async () => {
    await put(`${db}/_design/d`, { _rev: (await get(`${db}/_design/d`)).body._rev, nouveau: { birds: { index: 'function (doc) { index("string", "a", "b"); index("double", "a", 1); index("text", "c", "d") }' } } })
    assertRefused(await post(url, { q: 'a:b' }), 400, 'bad_request', 'field a is of type STRING not DOUBLE')
    assert.equal((await search({ q: 'c:d' })).total_hits, 4)
  })

  it('follows deletions and purges', async () => {
    const rev = async id => (await get(`${db}/${id}`)).body._rev
    assert.equal((await search({ q: '*:*' })).total_hits, 4)
    await remove(`${db}/owl?rev=${await rev('owl')}`)
    assert.equal((await search({ q: '*:*' })).total_hits, 3)
    assert.equal((await post(`${db}/_purge`, { gull: [await rev('gull')] })).status, 201)
    assert.deepEqual(await ids({ q: '*:*' }), ['crow', 'robin'])
    const { search_index: info } = (await get(`${db}/_design/d/_nouveau_info/birds`)).body
    assert.equal(info.num_docs, 2)
    const seq = text => Number(text.split('-')[0])
    const { update_seq: updated, purge_seq: purged } = (await get(db)).body
    assert.deepEqual([info.update_seq, info.purge_seq], [seq(updated), seq(purged)])
    assert.ok(info.disk_size > 0 && info.signature.length > 0)
  })

  it('has the winning revision of each document, also after a purge', async () => {
    const revisions = (start, ...ids) => ({ start, ids })
    const docs = [
      { _id: 'both', name: 'loser', _revisions: revisions(1, 'a') }, { _id: 'both', name: 'winner', _revisions: revisions(1, 'b') },
      { _id: 'left', name: 'live', _revisions: revisions(1, 'a') }, { _id: 'left', name: 'dead', _deleted: true, _revisions: revisions(2, 'c', 'b') },
      { _id: 'gone', name: 'dead', _deleted: true, _revisions: revisions(2, 'b', 'a') }
    ].map(doc => ({ grams: 1, ...doc }))
    assert.equal((await post(`${db}/_bulk_docs`, { docs, new_edits: false })).status, 201)
    const named = async () => (await search({ q: '_id:(both left gone)' })).hits.map(({ id, doc, fields }) => [id, doc._rev, fields.name])
    assert.deepEqual(await named(), [['both', '1-b', 'winner'], ['left', '1-a', 'live']])
    assert.equal((await post(`${db}/_purge`, { both: ['1-b'], left: ['1-a'], gone: ['2-b'] })).status, 201)
    assert.deepEqual(await named(), [['both', '1-a', 'loser']])
  })

  it('says how long it has waited, and does not wait where asked', async () => {
    assert.ok((await get(`${url}?q=*:*`)).body.update_latency > 0)
    await put(`${db}/_design/new`, { autoupdate: false, nouveau: { birds: { index: INDEX } } })
    const later = url.replace('/d/', '/new/')
    assertRefused(await get(`${later}?q=*:*&update=false`), 404, 'not_found', 'Index does not exist')
    assert.equal((await get(`${later}?q=*:*`)).body.total_hits, 4)
    assert.equal((await get(`${later}?q=*:*&update=false`)).body.total_hits, 4)
  })

  it('answers where there is no such index, or its function throws', async () => {
    assertRefused(await post(`${db}/_design/d/_nouveau/other`, { q: 'a' }), 404, 'not_found', 'other not found.')
    await put(`${db}/_design/bad`, { nouveau: { birds: { index: 'function (doc) { throw new Error("no") }' } } })
    assert.deepEqual((await post(url.replace('/d/', '/bad/'), { q: 'a' })).body.hits, [])
  })

  it('keeps several values of a field', async () => {
    await put(`${db}/_design/many`, { nouveau: { birds: { index: 'function (doc) { for (const letter of doc.name) index("string", "letter", letter, { store: true }) }' } } })
    const { body } = await post(url.replace('/d/', '/many/'), { q: 'letter:u', counts: ['letter'] })
    assert.deepEqual(body.hits.map(({ fields }) => fields.letter), [['g', 'u', 'l', 'l']])
    assert.deepEqual(body.counts, { letter: { g: 1, u: 1, l: 1 } })
  })

  it('merges shards in the same order', async () => {
    await remove(db)
    await make('?q=2')
    assert.deepEqual(await ids({ q: '*:*' }), ['crow', 'gull', 'owl', 'robin'])
    const { bookmark } = await search({ q: '*:*', limit: 2 })
    assert.deepEqual(await ids({ q: '*:*', bookmark }), ['owl', 'robin'])
    assert.deepEqual(await ids({ q: '*:*', sort: '-grams' }), ['gull', 'robin', 'owl', 'crow'])
    assert.equal((await search({ q: 'grams:[10.0 TO 20.0]', locale: 'de' })).total_hits, 1)
  })
})

describe('text searches that take too long', () => {
  setting('fabric', 'search_timeout', 0)
  setting('fabric', 'nouveau_timeout', 0)

  it('end with CouchDB\'s error', async () => {
    const db = `/test-${crypto.randomUUID()}`
    await put(db)
    await put(`${db}/_design/d`, { indexes: { all: { index: 'function (doc) { index("a", 1) }' } }, nouveau: { all: { index: 'function (doc) { index("double", "a", 1) }' } } })
    for (const place of ['_search', '_nouveau']) {
      assertRefused(await get(`${db}/_design/d/${place}/all?q=*:*`), 500, 'timeout', 'The request could not be processed in a reasonable amount of time.')
    }
    await remove(db)
  })
})
