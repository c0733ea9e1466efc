'use strict'

const assert = require('node:assert/strict')
const { get, post, put } = require('../support/request')
const { databases } = require('../support/sharded')

const json = value => encodeURIComponent(JSON.stringify(value))

/** A generator of numbers from 0 to 1 that a seed repeats. */
function randomFrom (seed) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 0x100000000
  }
}

describe('Databases of one and of several shards', () => {
  const make = databases()

  const design = {
    _id: '_design/x',
    views: {
      sum: { map: 'function (doc) { emit(doc.n, doc.s); if (doc.n === 3) emit(doc.n, 1) }', reduce: '_sum' },
      levels: { map: 'function (doc) { emit([doc.t, doc.n, doc.s], doc.s) }', reduce: 'function (keys, values, rereduce) { return rereduce ? sum(values) : values.length }' },
      stats: { map: 'function (doc) { emit(doc.t, doc.s) }', reduce: '_stats' },
      links: { map: 'function (doc) { emit(doc.n, { _id: doc.link }) }' },
      raw: { map: 'function (doc) { emit(doc.t, doc._conflicts) }', options: { collation: 'raw' } }
    }
  }

  /** Makes the same edits in both: new ones, updates, deletions, conflicts. */
  async function fill (names, random) {
    const texts = ['a', 'B', 'b', 'ä', null, [1, 2], { x: 1 }, true]
    const pick = list => list[Math.floor(random() * list.length)]
    for (let round = 0; round < 3; round++) {
      const docs = []
      const edits = []
      for (let i = 0; i < 70; i++) {
        const id = pick(['doc', 'Ä', 'z:']) + Math.floor(random() * 60)
        const doc = { _id: id, n: Math.floor(random() * 8), s: Math.floor(random() * 12), t: pick(texts), link: pick(['doc', 'Ä']) + Math.floor(random() * 60) }
        if (random() < 0.2) edits.push({ ...doc, _rev: `1-${Math.floor(random() * 1e15).toString(16).padStart(32, '0')}` })
        else if (!docs.some(({ _id: other }) => other === id)) docs.push({ ...doc, _deleted: random() < 0.1 || undefined })
      }
      for (const name of names) {
        const current = (await post(`/${name}/_all_docs`, { keys: docs.map(({ _id: id }) => id) })).body.rows
        const written = await post(`/${name}/_bulk_docs`, { docs: docs.map((doc, i) => ({ ...doc, _rev: current[i].value?.deleted ? undefined : current[i].value?.rev })) })
        assert.equal(written.status, 201)
        await post(`/${name}/_bulk_docs`, { docs: edits, new_edits: false })
      }
    }
  }

  async function assertSame (names, path, body) {
    const answers = []
    for (const name of names) answers.push(await (body === undefined ? get(`/${name}/${path}`) : post(`/${name}/${path}`, body)))
    assert.equal(answers[1].status, answers[0].status, `${path}: ${answers[1].text}`)
    assert.equal(answers[1].text, answers[0].text, path)
  }

  const ranges = ['', 'limit=3', 'skip=2&limit=4', 'startkey=3', 'startkey=["b"]', 'key=3', 'limit=0', 'startkey=2&endkey=4&inclusive_end=false', 'startkey="b"&startkey_docid="doc3"', 'skip=1000', 'sorted=false', 'startkey=4&endkey=2']
  const kinds = ['', 'reduce=false&', 'group=true&', 'group_level=1&', 'group_level=2&descending=true&', 'reduce=false&include_docs=true&conflicts=true&', 'reduce=false&descending=true&']

  for (const [q, seed] of [[4, 2], [7, 3]]) {
    it(`give the same answers: 1 and ${q}`, async () => {
      const names = [await make(1), await make(q)]
      for (const name of names) {
        await put(`/${name}/_design/x`, design)
        await post(`/${name}/_index`, { index: { fields: ['s'] }, ddoc: 's', name: 's' })
      }
      await fill(names, randomFrom(seed))
      for (const query of ['', 'limit=3', 'skip=2&limit=4&descending=true', 'startkey="doc"', 'startkey="doc2"&descending=true&include_docs=true&conflicts=true', 'startkey="doc2"&endkey="doc3"&inclusive_end=false', 'key="doc3"', 'keys=["doc1","zz","_design/x","doc5"]&include_docs=true', 'keys=["doc1","zz","doc5"]&descending=true&skip=1', 'limit=0', 'skip=1000', 'startkey="_design/s"&limit=1', 'endkey="A"', 'startkey=null']) {
        for (const list of ['_all_docs', '_design_docs', '_local_docs']) await assertSame(names, `${list}?${query}`)
      }
      await assertSame(names, '_all_docs/queries', { queries: [{ limit: 2 }, { keys: ['doc7', 'doc3'] }] })
      for (const view of Object.keys(design.views)) for (const kind of kinds) for (const range of ranges) await assertSame(names, `_design/x/_view/${view}?${kind}${range}`)
      for (const view of ['sum', 'stats']) await assertSame(names, `_design/x/_view/${view}?group=true&keys=[3,1,3,5,"b"]`)
      // Before which row is a list of keys? The offset is the sum of the shards', as in CouchDB.
      const rows = async (name, query) => (await get(`/${name}/_design/x/_view/links?${query}`)).body.rows
      for (const query of ['keys=[3,1,3,5]', 'keys=[3,1,3,5]&descending=true&skip=3', 'keys=[5,5,2]&limit=7&include_docs=true', 'keys=[]']) assert.deepEqual(await rows(names[1], query), await rows(names[0], query), query)
      await assertSame(names, '_design/x/_view/sum/queries', { queries: [{ limit: 2 }, { group: true, keys: [3, 1] }, { reduce: false, startkey: 4 }] })
      const ids = async name => (await get(`/${name}/_changes?style=all_docs&include_docs=true`)).body.results.map(({ seq, ...change }) => JSON.stringify(change)).sort()
      assert.deepEqual(await ids(names[1]), await ids(names[0]))
    })

    it(`find the same, page by page: 1 and ${q}`, async () => {
      const names = [await make(1), await make(q)]
      await fill(names, randomFrom(seed))
      for (const name of names) {
        await post(`/${name}/_index`, { index: { fields: ['s', '_id'] }, ddoc: 's', name: 's' })
        await post(`/${name}/_index`, { index: { fields: ['n', 's', '_id'] }, ddoc: 'ns', name: 'ns' })
      }
      for (const query of [
        { selector: {} }, { selector: { n: 3 } }, { selector: { n: { $gt: 2 } }, use_index: 's', sort: [{ s: 'desc' }, { _id: 'desc' }], limit: 7 },
        { selector: { s: { $in: [1, 5, 3] } }, use_index: 's', limit: 4, skip: 2 }, { selector: { n: { $gt: 1 } }, sort: ['n', 's', '_id'], fields: ['_id', 's'], limit: 9 },
        { selector: { $or: [{ n: 1 }, { s: 2 }] }, limit: 5 }, { selector: { zz: 1 } }, { selector: { n: { $in: [1, 2] } }, use_index: 'ns', sort: ['s', '_id'], limit: 5 },
        { selector: { n: 1 }, limit: 0 }, { selector: { _id: { $gt: 'doc3' } }, limit: 4 }, { selector: { n: 9 }, sort: ['zz'] }, { selector: { n: { $wrong: 1 } } }
      ]) {
        const pages = await Promise.all(names.map(name => readPages(name, query)))
        assert.deepEqual(pages[1], pages[0], JSON.stringify(query))
      }
    })
  }

  const index = 'function (doc) { index("default", doc.t); index("n", doc.n, { facet: true, store: true }) }'
  const nouveau = 'function (doc) { index("text", "default", doc.t); index("double", "n", doc.n, { store: true }); index("string", "s", doc.t) }'
  const searched = { indexes: { i: { index } }, nouveau: { i: { index: nouveau } }, views: { v: { map: 'function (doc) { emit(doc.n, doc.t) }', reduce: '_count' } } }

  /** Without what tells of the index and of the time. */
  const shown = ({ status, text }, name) => `${status} ${text.replaceAll(name, 'db').replace(/"(bookmark|update_latency|total_rows)":("[^"]*"|\d+)/g, '"$1":0').replace(/"order":\[[^\]]*\]/g, '')}`

  it('answer and refuse searches, lists and views alike, of partitions too', async () => {
    const names = [await make(1, '&partitioned=true'), await make(3, '&partitioned=true')]
    const docs = Array.from({ length: 12 }, (_, i) => ({ _id: `${'pq'[i % 2]}:${i}`, n: i, t: ['one', 'two'][i % 3 & 1] }))
    for (const name of names) {
      await post(`/${name}/_bulk_docs`, { docs })
      await put(`/${name}/_design/d`, searched)
      await put(`/${name}/_design/w`, { ...searched, options: { partitioned: false } })
      await put(`/${name}/_local/x`, {})
    }
    const requests = []
    for (const place of ['_search', '_nouveau']) {
      for (const path of [`_design/d/${place}/i`, `_design/w/${place}/i`, `_partition/p/_design/d/${place}/i`]) {
        const queries = ['q=*:*', 'q=one', 'q=*:*&partition=p', 'q=*:*&partition=', 'q=*:*&partition=_x', '', 'q=(', 'q=one&limit=x', 'q=*:*&counts=x', 'q=*:*&counts=["__proto__"]']
        requests.push(...queries.map(query => [`${path}?${query}&sort=${json('n')}`]))
        const bodies = [{}, [], 1, { q: 1 }, { q: '*:*' }, { q: '*:*', partition: 'p' }, { q: '*:*', partition: 'q' }, { q: '*:*', partition: 1 }, { q: '*:*', partition: {} }, { q: '*:*', counts: ['n'] }, { q: '*:*', limit: '2' }]
        requests.push(...['', '?partition=p', '?partition=none'].flatMap(query => bodies.map(body => [`${path}${query}`, { sort: ['n'], ...body }])))
      }
    }
    for (const list of ['_all_docs', '_local_docs', '_design/w/_view/v']) {
      for (const query of ['partition=p', 'keys={}', 'keys=[1]&limit=x', 'limit=2', 'skip=-1', 'group=true', 'at=x']) requests.push([`${list}?${query}`])
      for (const body of [{}, [], { keys: 1 }, { queries: 1 }, { limit: 'x' }]) requests.push([list, body], [`${list}/queries`, body])
      for (const each of [1, { limit: 'x' }, { keys: {} }]) requests.push([`${list}/queries`, { queries: [each] }])
    }
    for (const [path, body] of requests) {
      const [one, several] = await Promise.all(names.map(async name => shown(await (body === undefined ? get(`/${name}/${path}`) : post(`/${name}/${path}`, body)), name)))
      assert.equal(several, one, `${path} ${JSON.stringify(body)}`)
      assert.doesNotMatch(one, /^5/, `${path} ${JSON.stringify(body)}`)
    }
  })

  async function readPages (name, query) {
    const pages = []
    let asked = query
    for (let i = 0; i < 40; i++) {
      const { status, body } = await post(`/${name}/_find`, asked)
      pages.push(body.docs ?? { status, ...body })
      if (body.docs === undefined || body.docs.length === 0) return pages
      asked = { ...query, skip: 0, bookmark: body.bookmark }
    }
    assert.fail('no end')
  }
})
