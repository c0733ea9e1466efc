'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')
const { request } = require('./support/request')

const lists = {
  documented: `function (head, req) {
    start({ headers: { "Content-Type": "text/html" } })
    send("<table>")
    while (row = getRow()) send("<tr><td>" + toJSON(row.id) + "</td><td>" + toJSON(row.key) + "</td></tr>")
    send("</table>")
  }`,
  rows: 'function (head, req) { var row, rows = []; while (row = getRow()) rows.push(row); return toJSON(rows) }',
  head: 'function (head, req) { return toJSON(head) }',
  request: 'function (head, req) { return toJSON(req) }',
  count: 'function (head, req) { var n = 0; while (getRow()) n++; return "" + n + getRow() }',
  first: 'function (head, req) { var row = getRow(); return row ? row.id : "none" }',
  none: 'function (head, req) { start({ code: 201, headers: { "X-List": "1" } }); return "no row" }',
  late: 'function (head, req) { getRow(); start({ code: 202, headers: { "X-List": "1" } }); send("a"); getRow(); return "b" }',
  tooLate: 'function (head, req) { getRow(); send("a"); getRow(); start({ code: 202 }); return "b" }',
  long: 'function (head, req) { var row; while (row = getRow()) send(row.id + "x".repeat(20000) + "\\n") }',
  formats: `function (head, req) {
    provides("html", function () { var row, text = "<p>"; while (row = getRow()) text += row.key; return text })
    provides("json", function () { var n = 0; while (getRow()) n++; return toJSON({ n: n }) })
  }`,
  odd: 'function (head, req) { send("a\\u0000b\\ud800"); getRow(); return "é\\u{1F600}" }',
  throwsFirst: 'function (head, req) { send("lost"); throw new Error("boo") }',
  throwsLater: 'function (head, req) { send("a"); getRow(); send("b"); getRow(); send("lost"); throw new Error("boo") }',
  throwsSilently: 'function (head, req) { start({ headers: { "X-List": "1" } }); getRow(); throw { error: "teapot", reason: "short" } }',
  throwsLast: 'function (head, req) { while (getRow()); throw ["error", "not_found", "nothing left"] }',
  empty: '',
  odd2: 'function (head, req) { start({ foo: 1 }); return "x" }'
}

const views = {
  'by-n': { map: 'function (doc) { if ("n" in doc) emit(doc.n, doc.word) }' },
  parity: { map: 'function (doc) { if ("n" in doc) emit(doc.n % 2, doc.n) }', reduce: 'function (keys, values) { return sum(values) }' }
}

describe('list functions', () => {
  const db = new TestDatabase()
  const list = (rest, options) => db.get(`_design/d/_list/${rest}`, options)
  const rows = async rest => JSON.parse((await list(`rows/${rest}`)).text)

  beforeEach(async () => {
    await db.write('_design/d', { lists, views })
    const docs = [0, 1, 2, 3, 4].map(n => ({ _id: `doc${n}`, n, word: `w${n}` }))
    await db.post('_bulk_docs', { docs })
  })

  it('make a page of the rows of a view', async () => {
    const { status, text, headers } = await list('documented/by-n?limit=2')
    assert.equal(status, 200)
    assert.equal(headers.get('content-type'), 'text/html')
    assert.equal(headers.get('content-security-policy'), 'sandbox')
    assert.equal(text, '<table><tr><td>"doc0"</td><td>0</td></tr><tr><td>"doc1"</td><td>1</td></tr></table>')
  })

  it('get what a view gives, by all its parameters', async () => {
    assert.deepEqual(await rows('by-n?startkey=3'), [{ id: 'doc3', key: 3, value: 'w3' }, { id: 'doc4', key: 4, value: 'w4' }])
    assert.deepEqual((await rows('by-n?descending=true&skip=1&limit=2')).map(({ key }) => key), [3, 2])
    assert.deepEqual((await rows('by-n?keys=[4,1]')).map(({ key }) => key), [4, 1])
    const [{ doc }] = await rows('by-n?key=2&include_docs=true')
    assert.equal(doc.word, 'w2')
    assert.deepEqual(await rows('by-n?key=99'), [])
  })

  it('get reduced rows', async () => {
    assert.deepEqual(await rows('parity'), [{ key: null, value: 10 }])
    assert.deepEqual(await rows('parity?group=true'), [{ key: 0, value: 6 }, { key: 1, value: 4 }])
    assert.equal((await rows('parity?reduce=false')).length, 5)
  })

  it('get documents as rows, and rows of what is missing', async () => {
    const all = await rows('_all_docs?startkey="doc3"')
    assert.deepEqual(all.map(({ id, key, value }) => [id, key, Object.keys(value)]), [['doc3', 'doc3', ['rev']], ['doc4', 'doc4', ['rev']]])
    assert.deepEqual((await rows('_all_docs?keys=["doc1","none"]'))[1], { id: 'error', key: 'none', value: 'not_found' })
  })

  it('get views of other design documents', async () => {
    await db.write('_design/other', { views: { ids: { map: 'function (doc) { emit(doc._id) }' } } })
    assert.equal((await list('count/other/ids')).text, '5null')
    assertRefused(await list('count/other/none'), 404, 'not_found', 'missing_named_view')
  })

  it('get keys and parameters in a body', async () => {
    const post = async body => (await db.post('_design/d/_list/rows/by-n', body)).text
    assert.deepEqual(JSON.parse(await post({ keys: [1, 3] })).map(({ key }) => key), [1, 3])
    assert.deepEqual(JSON.parse(await post({ startkey: 2, limit: 1 })).map(({ key }) => key), [2])
    const asked = JSON.parse((await db.post('_design/d/_list/request/by-n', { keys: [1], own: 'value' })).text)
    assert.deepEqual(asked.body, { keys: [1], own: 'value' })
  })

  it('are told how many rows there are, and of what request', async () => {
    assert.deepEqual(JSON.parse((await list('head/by-n?skip=2')).text), { total_rows: 5, offset: 2 })
    assert.deepEqual(JSON.parse((await list('head/parity?group=true')).text), {})
    assert.equal(typeof JSON.parse((await list('head/by-n?update_seq=true')).text).update_seq, 'string')
    const asked = JSON.parse((await list('request/by-n?limit=1&own=value')).text)
    assert.deepEqual(asked.query, { limit: '1', own: 'value' })
    assert.deepEqual(asked.path.slice(1), ['_design', 'd', '_list', 'request', 'by-n'])
    assert.equal(asked.id, null)
  })

  it('need not read all rows, or any', async () => {
    assert.equal((await list('first/by-n')).text, 'doc0')
    const { status, text, headers } = await list('none/by-n')
    assert.deepEqual([status, text, headers.get('x-list')], [201, 'no row', '1'])
  })

  it('begin their answer as long as nothing was sent', async () => {
    const late = await list('late/by-n')
    assert.deepEqual([late.status, late.text, late.headers.get('x-list')], [202, 'ab', '1'])
    const tooLate = await list('tooLate/by-n')
    assert.deepEqual([tooLate.status, tooLate.text], [200, 'ab'])
  })

  it('send much', async () => {
    const docs = Array.from({ length: 300 }, (_, i) => ({ _id: `many${String(i).padStart(4, '0')}`, n: 100 + i }))
    await db.post('_bulk_docs', { docs })
    const { text } = await list('long/by-n?startkey=100')
    assert.deepEqual(text.trim().split('\n').map(line => line.slice(0, 8)), docs.map(({ _id }) => _id))
    assert.equal(text.length, 300 * 20009)
  })

  it('answer in the format that the client likes best', async () => {
    assert.equal((await list('formats/by-n', { headers: { Accept: 'text/html' } })).text, '<p>01234')
    assert.deepEqual((await list('formats/by-n', { headers: { Accept: 'application/json' } })).body, { n: 5 })
    assert.equal((await list('formats/by-n?format=html')).text, '<p>01234')
    assertRefused(await list('formats/by-n', { headers: { Accept: 'image/png' } }), 406, 'not_acceptable')
  })

  it('send any character', async () => {
    assert.equal((await list('odd/by-n')).text, 'a\0b\ufffdé😀')
  })

  it('answer with an error that comes before the first row', async () => {
    assertRefused(await list('throwsFirst/by-n'), 500, 'render_error', /^function raised error: Error: boo \nstacktrace: /)
  })

  it('tell an error on the way behind what was sent', async () => {
    const { status, text } = await list('throwsLater/by-n')
    assert.equal(status, 200)
    const [sent, error] = text.split('\n', 2)
    assert.equal(sent, 'ab')
    assert.equal(JSON.parse(error).code, 500)
    assert.equal(JSON.parse(error).error, 'render_error')
    const silent = await list('throwsSilently/by-n')
    assert.deepEqual([silent.status, silent.text, silent.headers.get('x-list')], [500, '\n{"code":500,"error":"teapot","reason":"short"}\n', '1'])
    assertRefused(await list('throwsLast/by-n'), 404, 'not_found', 'nothing left')
  })

  it('have to be there, and their views', async () => {
    assertRefused(await list('nothing/by-n'), 404, 'not_found', 'missing json key: nothing')
    assertRefused(await list('empty/by-n'), 404, 'not_found', 'missing lists function empty on design doc _design/d')
    assertRefused(await list('rows/nothing'), 404, 'not_found', 'missing_named_view')
    assertRefused(await list('rows'), 404, 'list_error', 'Invalid path.')
    assertRefused(await list('rows/d/by-n/x'), 404, 'list_error', 'Invalid path.')
    assertRefused(await list('odd2/by-n'), 500, 'external_response_error', 'Invalid data from external server: {<<"foo">>,1}')
  })

  it('refuse what views refuse', async () => {
    assertRefused(await list('rows/by-n?limit=x'), 400, 'query_parse_error')
    assertRefused(await list('rows/by-n?group=true'), 400, 'query_parse_error', 'Invalid use of grouping on a map view.')
    assertRefused(await db.post('_design/d/_list/rows/by-n', { keys: 5 }), 400, 'query_parse_error')
    assertRefused(await db.post('_design/d/_list/rows/by-n', '{', {}), 400, 'bad_request', 'invalid UTF-8 JSON')
    assertRefused(await db.post('_design/d/_list/rows/by-n', '{}', { headers: { 'Content-Type': 'text/plain' } }), 415, 'bad_content_type')
    assertRefused(await list('rows/_all_docs?partition=p'), 400, 'query_parse_error', '`partition` parameter is not supported on this db')
    const several = 'Multi-key fetches for reduce views must use `group=true`'
    for (const keys of ['[0]', '[0,1]']) assertRefused(await list(`rows/parity?keys=${keys}`), 400, 'query_parse_error', several)
    assertRefused(await db.post('_design/d/_list/rows/parity', { keys: [0] }), 400, 'query_parse_error', several)
    const put = await db.put('_design/d/_list/rows/by-n', {})
    assertRefused(put, 405, 'method_not_allowed', 'Only GET,POST,HEAD allowed')
    assert.equal(put.headers.get('allow'), 'GET,POST,HEAD')
  })

  it('take one key, and groups of keys', async () => {
    assert.deepEqual((await rows('parity?keys=[0]&group=true')).map(({ key }) => key), [0])
    assert.deepEqual((await rows('by-n?keys=[1]')).map(({ key }) => key), [1])
  })

  it('answer OPTIONS as they answer GET', async () => {
    const options = await request('OPTIONS', db.path('_design/d/_list/documented/by-n'))
    assert.deepEqual([options.status, options.text], [200, (await list('documented/by-n')).text])
    assertRefused(await request('OPTIONS', db.path('_design/d/_list/rows')), 404, 'list_error', 'Invalid path.')
  })

  it('answer HEAD with headers alone', async () => {
    const { status, text, headers } = await request('HEAD', db.path('_design/d/_list/documented/by-n'))
    assert.deepEqual([status, text, headers.get('content-type')], [200, '', 'text/html'])
  })
})
