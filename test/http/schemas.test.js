'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')
const { post, put, remove } = require('./support/request')
const { server } = require('./support/server')

const person = {
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { type: true, name: { type: 'string', minLength: 1 }, age: { type: 'integer', minimum: 0 } },
    required: ['name'],
    additionalProperties: false
  },
  selector: { type: 'person' }
}

describe('schemas', () => {
  const db = new TestDatabase()

  const setPerson = async () => {
    const answer = await db.put('_schema/person', person)
    assert.equal(answer.status, 201, answer.text)
    return answer.body
  }

  it('are set, listed, read and removed', async () => {
    const { ok, id, rev, result } = await setPerson()
    assert.deepEqual([ok, id, result], [true, '_design/person', 'created'])
    const stored = { name: 'person', ddoc: '_design/person', rev, ...person }
    assert.deepEqual((await db.get('_schema')).body, { total_rows: 1, schemas: [stored] })
    assert.deepEqual((await db.get('_schema/person')).body, stored)
    const again = await db.put('_schema/person', person)
    assert.deepEqual([again.status, again.body], [200, { ok: true, id, rev, result: 'exists' }])
    assert.equal((await db.remove('_schema/person')).status, 200)
    assertRefused(await db.get('_schema/person'), 404, 'not_found')
    assertRefused(await db.remove('_schema/person'), 404, 'not_found')
    assertRefused(await db.get('_design/person'), 404, 'not_found', 'deleted')
    assert.deepEqual((await db.get('_schema')).body, { total_rows: 0, schemas: [] })
    assert.equal((await db.put('a', { type: 'person' })).status, 201)
    await setPerson()
  })

  it('leave the other members of their design document', async () => {
    const views = { all: { map: 'function (doc) { emit(doc._id) }' } }
    await db.write('_design/person', { views })
    await setPerson()
    assert.deepEqual((await db.get('_design/person')).body.views, views)
    assert.equal((await db.remove('_schema/person')).status, 200)
    const { views: left, validate_schema: rule } = (await db.get('_design/person')).body
    assert.deepEqual([left, rule], [views, undefined])
  })

  it('refuse a document with the paths that fail, and let others be', async () => {
    await setPerson()
    assertRefused(await db.put('a', { type: 'person', age: -1, 'x/y': 2 }), 403, 'forbidden',
      'The document does not fit schema person: /name is missing; /age must be at least 0; /x~1y is not allowed')
    assertRefused(await db.post('', { type: 'person', name: '' }), 403, 'forbidden', 'The document does not fit schema person: /name must have at least 1 characters')
    const rev = await db.write('a', { type: 'person', name: 'Ada', age: 36 })
    assertRefused(await db.put('a', { _rev: rev, type: 'person' }), 403, 'forbidden', /\/name is missing$/)
    await db.write('b', { type: 'thing', age: -1 })
    assert.equal((await db.remove(`a?rev=${rev}`)).status, 200)
  })

  it('refuse single documents of many, all of an atomic write, and replicated ones', async () => {
    await setPerson()
    const docs = [{ _id: 'a', type: 'person', name: 'Ada' }, { _id: 'b', type: 'person' }, { _id: 'c' }]
    const { body } = await db.post('_bulk_docs', { docs })
    assert.deepEqual(body.map(({ id, error, reason }) => [id, error, reason]), [['a', undefined, undefined], ['b', 'forbidden', 'The document does not fit schema person: /name is missing'], ['c', undefined, undefined]])
    const atomic = await db.post('_bulk_docs', { docs: [{ _id: 'd' }, { _id: 'e', type: 'person' }], atomic: true })
    assert.deepEqual([atomic.status, atomic.body.map(({ error }) => error)], [417, ['expectation_failed', 'forbidden']])
    const replicated = await db.post('_bulk_docs', { docs: [{ _id: 'f', _rev: '1-a', type: 'person' }, { _id: 'g', _rev: '1-b' }], new_edits: false })
    assert.deepEqual(replicated.body.map(({ id, rev, error }) => [id, rev, error]), [['f', '1-a', 'forbidden']])
    assert.deepEqual((await db.get('_all_docs')).body.rows.map(({ id }) => id), ['_design/person', 'a', 'c', 'g'])
  })

  it('hold for attachments, update functions and copies', async () => {
    const rev = await db.write('old', { type: 'person' })
    await setPerson()
    const text = { headers: { 'Content-Type': 'text/plain' } }
    assertRefused(await db.put(`old/file?rev=${rev}`, 'x', text), 403, 'forbidden', /\/name is missing/)
    const good = await db.write('good', { type: 'person', name: 'Ada' })
    assert.equal((await db.put(`good/file?rev=${good}`, 'x', text)).status, 201)
    await db.write('_design/app', { updates: { make: 'function (doc, req) { return [{ _id: req.id, type: "person", age: 1 }, "made"] }' } })
    assertRefused(await db.put('_design/app/_update/make/b', ''), 403, 'forbidden', /\/name is missing/)
  })

  it('hold for large documents, and for documents with integers of any size', async () => {
    await db.put('_schema/sizes', { schema: { properties: { n: { maximum: 10 }, list: { items: { type: 'integer' } } } } })
    assertRefused(await db.put('a', '{"n":100000000000000000001}'), 403, 'forbidden', /\/n must be at most 10$/)
    const list = Array.from({ length: 100_000 }, (_, i) => i)
    assert.equal((await db.put('b', { list })).status, 201)
    assertRefused(await db.put('c', { list: [...list, 'x'] }), 403, 'forbidden', /\/list\/100000 must be integer$/)
  })

  it('come with replication, and hold in the replica', async () => {
    await setPerson()
    const name = `${db.name}-replica`
    try {
      const [source, target] = [db.name, name].map(each => ({ url: `${server.origin}/${each}`, headers: { Authorization: server.authorization } }))
      const { status, text } = await post('/_replicate', { source, target, create_target: true })
      assert.equal(status, 200, text)
      assertRefused(await put(`/${name}/a`, { type: 'person' }), 403, 'forbidden', /\/name is missing/)
    } finally {
      await remove(`/${name}`)
    }
  })

  it('hold in every shard of a database', async () => {
    const name = `${db.name}-shards`
    await put(`/${name}?q=4`)
    try {
      assert.equal((await put(`/${name}/_schema/person`, person)).status, 201)
      const docs = Array.from({ length: 20 }, (_, i) => ({ _id: `p${i}`, type: 'person', ...i % 2 === 0 ? { name: 'Ada' } : {} }))
      const { body } = await post(`/${name}/_bulk_docs`, { docs })
      for (const [i, { error }] of body.entries()) assert.equal(error, i % 2 === 0 ? undefined : 'forbidden')
      assertRefused(await put(`/${name}/p1`, { type: 'person' }), 403, 'forbidden')
      assert.equal((await remove(`/${name}/_schema/person`)).status, 200)
      assert.equal((await put(`/${name}/p1`, { type: 'person' })).status, 201)
    } finally {
      await remove(`/${name}`)
    }
  })

  it('are for administrators to set', async () => {
    const headers = { Authorization: '' }
    assertRefused(await db.put('_schema/person', person, { headers }), 401, 'unauthorized')
    await db.put('_security', { admins: { names: [], roles: [] }, members: { names: [], roles: [] } })
    assertRefused(await db.put('_schema/person', person, { headers }), 401, 'unauthorized', 'You are not a db or server admin.')
    await setPerson()
    assertRefused(await db.remove('_schema/person', { headers }), 401, 'unauthorized')
    assertRefused(await db.put('a', { type: 'person' }, { headers }), 403, 'forbidden', /\/name is missing/)
  })

  it('are refused if they are none, in design documents too', async () => {
    for (const [rule, error, reason] of [
      [{ schema: { type: 'text' } }, 'invalid_schema', /^The schema at \/type must be one of/],
      [{ schema: { properties: { a: 1 } } }, 'invalid_schema', /^The schema at \/properties\/a must be a schema/],
      [{ schema: { $ref: 'https://example.com/schema' } }, 'invalid_schema', /which is not in the schema$/],
      [{ schema: { pattern: '(' } }, 'invalid_schema', /is no expression/],
      [{ schema: { $schema: 'http://json-schema.org/draft-07/schema#' } }, 'invalid_schema', /must be JSON Schema 2020-12$/],
      [{ type: 'object' }, 'invalid_schema', /`validate_schema` is an object with `schema`/],
      [{ schema: {}, filter: {} }, 'invalid_schema', /has "filter" beside it/],
      [{ schema: {}, selector: { a: { $no: 1 } } }, 'invalid_operator', /\$no/]
    ]) {
      assertRefused(await db.put('_schema/bad', rule), 400, error, reason)
      assertRefused(await db.put('_design/bad', { validate_schema: rule }), 400, error, reason)
    }
    assertRefused(await db.put('_schema/bad', '[1]'), 400, 'bad_request', 'Request body must be a JSON object')
    assertRefused(await db.put('_design/bad', { validate_schema: 'x' }), 400, 'invalid_design_doc')
  })

  it('stop what would take long, and the server goes on', async () => {
    const $defs = { x0: { type: 'string' } }
    for (let i = 1; i < 60; i++) $defs[`x${i}`] = { allOf: [{ $ref: `#/$defs/x${i - 1}` }, { $ref: `#/$defs/x${i - 1}` }] }
    assert.equal((await db.put('_schema/bomb', { schema: { $ref: '#/$defs/x59', $defs }, selector: { bomb: true } })).status, 201)
    assertRefused(await db.put('a', { bomb: true }), 403, 'forbidden', /it takes too many steps to check$/)
    assert.equal((await db.put('_schema/slow', { schema: { properties: { a: { pattern: '^(a+)+$' } } }, selector: { slow: true } })).status, 201)
    const { body } = await db.post('_bulk_docs', { docs: Array.from({ length: 200 }, () => ({ slow: true, a: `${'a'.repeat(60)}!` })) })
    assert.deepEqual(new Set(body.map(({ error }) => error)), new Set(['forbidden']))
    assert.match(body[0].reason, /it cannot be checked: The schema at \/properties\/a\/pattern takes too long with this document$/)
    assert.match(body.at(-1).reason, /was not checked against schemas: others of the same write took too long$/)
    assert.equal((await db.put('b', { fine: true })).status, 201)
  })
})
