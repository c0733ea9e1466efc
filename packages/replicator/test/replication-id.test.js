'use strict'

const assert = require('node:assert/strict')
const { defaults } = require('..')
const { json } = require('../lib/request/erlang-term')
const { replicationId } = require('../lib/request/replication-id')
const { parseRequest } = require('../lib/request/request')

/** Ids that a CouchDB 3.5.2 with this uuid answered to `POST /_replicate`. */
const UUID = '0123456789abcdef0123456789abcdef'
const BASE = 'http://admin:secret@127.0.0.1:16884'
const FILTER = 'function(doc,req){return true}'

const known = [
  ['no more than two databases', {}, '695c359e5814a5b928f64c8605d747e5'],
  ['doc_ids', { doc_ids: ['a', 'é', 'b'] }, 'd12988c7d7ad8076f3294d5c86dcbb9d'],
  ['a filter function', { filter: 'f/f', query_params: { a: 'b', c: 'd' } }, 'cebe7f9b2d1d35431ffa0bb8cf7c4da2'],
  ['a selector of one field', { selector: { x: 1 } }, '4dbdf5635ee215136ae13718f0bcd40b'],
  ['a selector of several', { selector: { x: { $gt: 1 }, y: 'a' } }, '563ec213a0ecb51dc9d62c34ecf5fa63'],
  ['since_seq and winning_revs_only', { since_seq: 5, winning_revs_only: true }, '9ff64b95562c2ccc60bb2b511f2625b8'],
  ['headers and a query', { source: { url: 'http://127.0.0.1:16884/replicator-a?x=1', headers: { 'X-B': 'c', 'X-a': 'd' } } }, '47c100e7ff1e5afe2e3f099686b9f478']
]

describe('the id of a replication', () => {
  const idOf = (options, more = {}) => replicationId(
    parseRequest({ source: `${BASE}/replicator-a`, target: `${BASE}/replicator-b`, ...options }, defaults),
    { uuid: UUID, user: 'admin', filterCode: FILTER, ...more })

  for (const [what, options, expected] of known) {
    it(`is CouchDB's with ${what}`, () => assert.equal(idOf(options).id, expected))
  }

  it('has JSON as Erlang has it, a list of small integers as a string', () => {
    json(['what stands before what follows: 1234567890'])
    const terms = [
      ['5', '6105'], ['-7', '62fffffff9'], ['1.5', '463ff8000000000000'], ['"é"', '6d00000002c3a9'], ['true', '64000474727565'], ['null', '6400046e756c6c'],
      ['{}', '68016a'], ['[]', '6a'], ['[1,2,255]', '6b00030102ff'], ['[1,256]', '6c0000000261016200000100' + '6a'],
      ['{"a":[3]}', '68016c00000001' + '68026d0000000161' + '6b000103' + '6a']
    ]
    for (const [text, expected] of terms) assert.equal(json(JSON.parse(text)).toString('hex'), expected, text)
  })

  it('ends in what kind of replication it is', () => {
    assert.deepEqual(idOf({ continuous: true, create_target: true }), { base: known[0][2], id: `${known[0][2]}+continuous+create_target` })
  })

  it('is the same for the same selector in other words', () => {
    const { id } = idOf({ selector: { a: { $gt: 1 }, 'b.c': 2 } })
    assert.equal(idOf({ selector: { $and: [{ a: { $gt: 1 } }, { b: { c: { $eq: 2 } } }] } }).id, id)
  })

  it('does not depend on where the name and the password stand', () => {
    const { id } = idOf({})
    const url = 'http://127.0.0.1:16884/replicator-a'
    assert.equal(idOf({ source: { url, auth: { basic: { username: 'admin', password: 'other' } } } }).id, id)
    assert.equal(idOf({ source: { url, headers: { Authorization: `Basic ${Buffer.from('admin:x').toString('base64')}` } } }).id, id)
  })

  it('is another for another user, database, filter or server', () => {
    const ids = [idOf({}), idOf({ source: 'replicator-a' }), idOf({ source: 'replicator-a' }, { user: 'bob' }), idOf({ source: BASE.replace('admin', 'bob') + '/replicator-a' }),
      idOf({ filter: 'f/f' }), idOf({ filter: 'f/f' }, { filterCode: 'x' }), idOf({ filter: '_design' }), idOf({}, { uuid: 'x' })].map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length)
  })
})
