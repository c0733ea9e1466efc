'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { readFileSync } = require('node:fs')
const path = require('node:path')
const { MemoryLevel } = require('memory-level')
const { DocumentStore, carrySent, parseExact, parseInTurns, toJson } = require('../..')
const { runLoad } = require('./load')

/** The answers of CouchDB 3.5.0 to the load: generations and the first digits of the hashes. */
const expected = readFileSync(path.join(__dirname, 'revisions.txt'), 'utf8').split(/\s/).filter(Boolean)

const short = rev => rev.replace(/-(.{8}).*/, '-$1')

const parse = (text, documents) => {
  const value = parseExact(text)
  carrySent(value, text, documents)
  return value
}

describe('CouchDB\'s revisions', () => {
  let store

  beforeEach(async () => {
    store = await DocumentStore.open(new MemoryLevel(), { deterministicRevs: 'couchdb' })
  })

  afterEach(() => store.close())

  const put = text => store.put(parse(text, 0))

  it('are made of the same documents', async () => {
    const revs = await runLoad(async text => (await store.write(parse(text, 2).docs)).map(({ rev }) => rev))
    assert.deepEqual(revs.map(short), expected)
  })

  it('are made of text by the megabyte', async () => {
    const text = `{"_id":"long","text":"${'x'.repeat(1e6)}","list":[${Array(70_000).fill(7)}],"bytes":[${Array(65_535).fill(7)}]}`
    assert.equal((await put(text)).rev, '1-0d7a1ad27b83f96e9ef568998fbb1a06')
  })

  it('are one write\'s where it asks for them', async () => {
    const other = await DocumentStore.open(new MemoryLevel())
    const { rev } = await other.put({ _id: 'a' }, { deterministicRevs: 'couchdb' })
    assert.equal(rev, '1-967a00dff5e02add41819138abb3284d')
    assert.notEqual((await other.put({ _id: 'b' })).rev, rev)
    await other.close()
  })

  it('of an edit of an attachment are those of what is stored', async () => {
    const { rev } = await put('{"_id":"a","x":1.0,"10":1,"9":2}')
    const added = await store.putAttachment('a', 'b', { contentType: 'x/y', data: Buffer.from('1') }, { rev })
    const second = await store.putAttachment('a', 'a', { contentType: 'x/y', data: Buffer.from('2') }, { rev: added.rev })
    const other = await store.putAttachment('a', 'b', { contentType: 'x/y', data: Buffer.from('3') }, { rev: second.rev })
    const removed = await store.removeAttachment('a', 'b', { rev: other.rev })
    assert.deepEqual([rev, added.rev, second.rev, other.rev, removed.rev].map(short), ['1-6bf3cb07', '2-a10a66a2', '3-973e77d3', '4-afab9989', '5-78366d2a'])
  })
})

describe('The order of attachments', () => {
  let store

  beforeEach(async () => {
    store = await DocumentStore.open(new MemoryLevel(), { deterministicRevs: 'couchdb' })
  })

  afterEach(() => store.close())

  const attachment = data => `{"content_type":"x/y","data":"${data}"}`
  const NAMES = ['10', 'b', '9', '1.5']
  const sent = names => `{"_id":"a","x":1,"_attachments":{${names.map((name, i) => `"${name}":${attachment(['MQ==', 'Mg=='][i % 2])}`)}},"y":2}`
  const namesIn = text => [...text.matchAll(/"([^"]*)":\{"content_type"/g)].map(([, name]) => name)

  const binary = bytes => Buffer.from([109, 0, 0, 0, bytes.length, ...Buffer.from(bytes)])
  const md5 = text => crypto.createHash('md5').update(text).digest()

  it('that look like numbers is that of the text, on which the revision depends', async () => {
    const { rev } = await store.put(parse(`{"_attachments":{"b":${attachment('MQ==')},"10":${attachment('MQ==')},"9":${attachment('MQ==')}},"_id":"a"}`, 0))
    const tuple = name => Buffer.concat([Buffer.from([104, 3]), binary(name), binary('x/y'), binary(md5('1'))])
    const head = Buffer.concat([Buffer.from([131, 108, 0, 0, 0, 5, 100, 0, 5]), Buffer.from('false'), Buffer.from([97, 0, 97, 0, 104, 1, 106, 108, 0, 0, 0, 3])])
    // CouchDB takes them from the last to the first.
    assert.equal(rev, `1-${md5(Buffer.concat([head, tuple('9'), tuple('10'), tuple('b'), Buffer.from([106, 106])])).toString('hex')}`)
  })

  it('stays as it was sent', async () => {
    const { rev } = await store.put(parse(sent(NAMES), 0))
    assert.deepEqual(namesIn(toJson(await store.get('a'))), NAMES)
    const added = await store.putAttachment('a', '5', { contentType: 'x/y', data: Buffer.from('5') }, { rev })
    assert.deepEqual(namesIn(toJson(await store.get('a'))), ['5', ...NAMES])
    const replaced = await store.putAttachment('a', '9', { contentType: 'x/y', data: Buffer.from('9') }, { rev: added.rev })
    assert.deepEqual(namesIn(toJson(await store.get('a'))), ['9', '5', '10', 'b', '1.5'])
    await store.removeAttachment('a', '5', { rev: replaced.rev })
    assert.deepEqual(namesIn(toJson(await store.get('a'))), ['9', '10', 'b', '1.5'])
  })

  it('in a list of documents is that of each', async () => {
    const orders = [NAMES, NAMES.toReversed(), ['1', '0']]
    const results = await store.write(parse(`{"docs":[${orders.map((names, i) => sent(names).replace('"a"', `"a${i}"`))}]}`, 2).docs)
    assert.equal(new Set(results.map(({ rev }) => rev)).size, 3)
    for (const [i, names] of orders.entries()) assert.deepEqual(namesIn(toJson(await store.get(`a${i}`))), names)
  })

  it('is that of the text of a large document, too', async () => {
    const long = Buffer.alloc(2e6).toString('base64')
    const text = sent(NAMES).replace('MQ==', long)
    const body = (await parseInTurns(text, { documents: 0 }))
    await store.put(body)
    assert.deepEqual(namesIn(toJson(await store.get('a'))), NAMES)
    await store.put(await parseInTurns(sent(['9', '10', '3']).replace('"x":1', `"x":[${Array(400_000).fill('"x"')}]`).replace('"a"', '"b"'), { documents: 0 }))
    assert.deepEqual(namesIn(toJson(await store.get('b'))), ['9', '10', '3'])
  })
})

describe('A document\'s text', () => {
  let store

  beforeEach(async () => {
    store = await DocumentStore.open(new MemoryLevel())
  })

  afterEach(() => store.close())

  const stored = async text => (await store.get((await store.put(parse(text, 0))).id)).body

  it('is stored as it was sent, less white space', async () => {
    for (const text of [
      '{}', '{"a":1.0,"b":1e2,"c":-0.0,"d":[1E+2,-1],"e":12345678901234567890}', '{"b":1,"10":3,"9":4,"c":{"2":1,"1":2}}',
      '{"a":"é😀\\n\\u0000","x":{"__proto__":1}}', '{"a":[],"b":{},"c":[[],{}],"d":""}'
    ]) {
      assert.equal(await stored(text), text)
      assert.equal(await stored(text.replaceAll(/([{}[\],:])/g, ' \n$1\t\r')), text)
    }
  })
})
