'use strict'

const assert = require('node:assert/strict')
const { assertRefused } = require('../support/refusal')
const { get, post, put } = require('../support/request')
const { fourShards, some } = require('../support/sharded')

describe('A database of several shards has changes', () => {
  let db
  const { bulk, make } = fourShards(name => { db = name })

  it('that are told once each, wherever one begins', async () => {
    await bulk(some)
    for (const { _id: id } of some.slice(0, 7)) await put(`/${db}/${id}?rev=${(await get(`/${db}/${id}`)).body._rev}`, { again: true })
    const whole = (await get(`/${db}/_changes`)).body
    assert.deepEqual(whole.results.map(({ id }) => id).sort(), some.map(({ _id: id }) => id).sort())
    for (const [i, { seq }] of whole.results.entries()) {
      const rest = (await get(`/${db}/_changes?since=${seq}`)).body
      assert.deepEqual(rest.results, whole.results.slice(i + 1))
      assert.equal(rest.last_seq, whole.last_seq)
    }
    for (const limit of [1, 3, 19, 20, 21]) {
      const told = []
      let since = '0'
      for (let page; page?.results.length !== 0; since = page.last_seq) {
        page = (await get(`/${db}/_changes?limit=${limit}&since=${since}`)).body
        told.push(...page.results.map(({ id }) => id))
        assert.equal(page.pending, 20 - told.length)
      }
      assert.deepEqual(told, whole.results.map(({ id }) => id))
    }
    assert.equal((await get(`/${db}`)).body.update_seq, whole.last_seq)
    assert.deepEqual((await get(`/${db}/_changes?since=now`)).body.results, [])
  })

  it('that are told backwards up to a limit, without copies of design documents', async () => {
    await bulk(Array.from({ length: 8 }, (_, i) => ({ _id: `d${i}` })))
    for (const name of ['a', 'b', 'c']) assert.equal((await put(`/${db}/_design/${name}`, {})).status, 201)
    for (const limit of [1, 2, 4, 10, 11, 12, 100]) {
      const { results, pending } = (await get(`/${db}/_changes?descending=true&limit=${limit}`)).body
      const told = Math.min(limit, 11)
      assert.deepEqual([results.length, new Set(results.map(({ id }) => id)).size, pending], [told, told, 11 - told], `limit=${limit}`)
    }
  })

  it('whose sequences mean nothing to another database, and none that is malformed', async () => {
    await bulk(some)
    const { last_seq: seq } = (await get(`/${db}/_changes`)).body
    const other = await make(4)
    await put(`/${other}/a`, {})
    assert.equal((await get(`/${other}/_changes?since=${seq}`)).body.results.length, 1)
    const single = await make(1)
    await put(`/${single}/a`, {})
    assert.equal((await get(`/${single}/_changes?since=${seq}`)).body.results.length, 1)
    assert.equal((await get(`/${db}/_changes?since=${(await get(`/${single}`)).body.update_seq}`)).body.results.length, 20)
    assertRefused(await get(`/${db}/_changes?since=x`), 400, 'bad_request')
  })

  it('that are filtered in every shard', async () => {
    await put(`/${db}/_design/f`, { filters: { even: 'function (doc) { return doc.i % 2 === 0 }' } })
    await bulk(some)
    const even = some.filter(({ i }) => i % 2 === 0).map(({ _id: id }) => id).sort()
    const ids = async (path, body) => (await (body ? post(`/${db}/_changes?${path}`, body) : get(`/${db}/_changes?${path}`))).body.results.map(({ id }) => id).sort()
    assert.deepEqual(await ids('filter=f/even'), even)
    assert.deepEqual(await ids('filter=_selector', { selector: { i: { $in: [1, 2, 3] } } }), ['d1', 'd2', 'd3'])
    assert.deepEqual(await ids('filter=_doc_ids', { doc_ids: ['d4', 'd9', 'zz'] }), ['d4', 'd9'])
    assert.deepEqual(await ids('filter=_design'), ['_design/f'])
  })

  it('that a feed tells as they happen, once each, from several places', async () => {
    await bulk(some)
    const { results, last_seq: last } = (await get(`/${db}/_changes`)).body
    const feeds = ['0', results[4].seq, results[13].seq, last].map(since => get(`/${db}/_changes?feed=continuous&limit=${20 + 9 - (since === '0' ? 0 : results.findIndex(({ seq }) => seq === since) + 1)}&heartbeat=1000&since=${since}`))
    const later = Array.from({ length: 9 }, (_, i) => `late${i}`)
    for (const id of later) await put(`/${db}/${id}`, {})
    const ids = (await Promise.all(feeds)).map(({ text }) => text.split('\n').filter(line => line.startsWith('{"seq"')).map(line => JSON.parse(line).id))
    const past = results.map(({ id }) => id)
    for (const [i, from] of [0, 5, 14, 20].entries()) {
      // One that begins amid the writes has some of them in the order of its shards.
      assert.deepEqual(ids[i].sort(), [...past.slice(from), ...later].sort())
    }
  })

  it('that longpoll waits for', async () => {
    await bulk(some)
    const { last_seq: since } = (await get(`/${db}/_changes`)).body
    const [answer] = await Promise.all([get(`/${db}/_changes?feed=longpoll&since=${since}`), put(`/${db}/late`, {})])
    assert.deepEqual(answer.body.results.map(({ id }) => id), ['late'])
    assert.deepEqual((await get(`/${db}/_changes?since=${answer.body.last_seq}`)).body.results, [])
    const silent = (await get(`/${db}/_changes?feed=longpoll&since=${answer.body.last_seq}&timeout=1`)).body
    assert.deepEqual([silent.results, silent.last_seq], [[], answer.body.last_seq])
  })
})
