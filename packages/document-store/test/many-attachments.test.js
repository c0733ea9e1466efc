'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { editHash } = require('../lib/commit/edit-hash')
const { Databases, DocumentStore, carrySent, parseExact, toJson, toObject, toObjectInTurns } = require('..')

/** Counts what is read. */
class CountingLevel extends MemoryLevel {
  reads = 0
  /** @type {(key: string) => void} */
  onRead = () => {}

  _get (key, options) {
    this.reads++
    return super._get(key, options)
  }

  _getSync (key, options) {
    this.reads++
    this.onRead(String(key))
    return super._getSync(key, options)
  }
}

/** Takes longer than a turn. */
function burn () {
  const end = performance.now() + 11
  while (performance.now() < end);
}

describe('a document with many attachments', () => {
  /** @type {CountingLevel} */
  let level
  /** @type {DocumentStore} */
  let store

  beforeEach(async () => {
    level = new CountingLevel()
    store = await DocumentStore.open(level)
  })
  afterEach(() => store.close())

  async function putDocument () {
    await store.put({ _id: 'd', _attachments: { a: { data: 'YQ==' }, b: { data: 'Yg==' } } })
    return store.get('d')
  }

  it('is not read again for each of them', async () => {
    const document = await putDocument()
    level.reads = 0
    await store.getAttachment('d', 'a')
    const alone = level.reads
    level.reads = 0
    const { rev, contentType } = await store.getAttachment('d', 'a', { document })
    assert.deepEqual({ rev, contentType }, { rev: document.rev, contentType: 'application/octet-stream' })
    assert.equal(level.reads, alone - 1)
  })

  it('says what they are, whatever became of it', async () => {
    const document = await putDocument()
    await store.put({ _id: 'd', _rev: document.rev, _attachments: { b: { data: 'Yw==' } } })
    await store.put({ _id: 'other', _attachments: { b: { data: 'Yg==' } } })
    await store.compact()
    await assert.rejects(store.getAttachment('d', 'b', { rev: document.rev }), { code: 'MISSING' })
    assert.equal(String(await (await store.getAttachment('d', 'b', { document })).read()), 'b')
    await assert.rejects(store.getAttachment('d', 'a', { document }), { code: 'MISSING_ATTACHMENT' })
    await assert.rejects(store.getAttachment('d', 'toString', { document }), { code: 'MISSING_ATTACHMENT' })
  })

  /** In how many turns the records of content are read meanwhile; each hundredth takes long. */
  async function turnsOf (work) {
    let turn = 0
    let reads = 0
    const turns = new Set()
    level.onRead = key => {
      if (!key.includes('md5-')) return
      turns.add(turn)
      if (++reads % 100 === 0) burn()
    }
    const timer = setInterval(() => { turn++ }, 1)
    await work()
    clearInterval(timer)
    return turns.size
  }

  it('is written in turns, with content or with stubs of it', async () => {
    const entries = Array.from({ length: 600 }, (_, i) => [`a${i}`, { data: Buffer.from(String(i)).toString('base64') }])
    assert.ok(await turnsOf(() => store.put({ _id: 'd', _attachments: Object.fromEntries(entries) })) > 1)
    const { attachments } = await store.get('d')
    const stubs = Object.entries(attachments ?? {}).map(([name, { digest, length }]) => [name, { stub: true, digest, length }])
    assert.ok(await turnsOf(() => store.put({ _id: 'copy', _attachments: Object.fromEntries(stubs) })) > 1)
    const copy = await store.get('copy')
    assert.deepEqual(Object.keys(copy.attachments ?? {}), entries.map(([name]) => name))
    assert.equal(String(await (await store.getAttachment('copy', 'a599')).read()), '599')
  })

  /** More than are read in one go; their names are in no order that an object would keep. */
  const MANY = 2000
  const manyEntries = () => Array.from({ length: MANY }, (_, i) => [`${MANY - i}`, { content_type: i % 2 === 0 ? 'text/plain' : 'a/b', data: Buffer.from(`content ${i}`).toString('base64') }])

  /** JSON of a copy, which carries nothing along, with attachments in that order. */
  function plainJson (document, names, options) {
    const ordered = names.map(name => [`x${name}`, document.attachments[name]])
    return toJson({ ...document, attachments: Object.fromEntries(ordered) }, options).replaceAll('"x', '"')
  }

  async function putMany () {
    const entries = manyEntries()
    await store.close()
    store = await DocumentStore.open(level, { compressionLevel: type => type === 'text/plain' ? 1 : 0 })
    const text = entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()
    const doc = parseExact(`{"docs":[{"_id":"d","_attachments":{${text}},"b":1}]}`).docs[0]
    carrySent({ docs: [doc] }, `{"docs":[{"_id":"d","_attachments":{${text}},"b":1}]}`, 2)
    await store.put(doc)
    return entries.map(([name]) => name)
  }

  it('is shown as one with few, in the order in which they were sent', async () => {
    const names = await putMany()
    for (const options of [{}, { attachments: true }, { rev: (await store.get('d')).rev }, { attachments: true, attachmentsLimit: 10, stubsBeyond: true }]) {
      const document = await store.get('d', options)
      for (const encodings of [false, true]) assert.equal(toJson(document, { encodings }), plainJson(document, names, { encodings }))
      assert.deepEqual(await toObjectInTurns(document), toObject(document))
      assert.deepEqual(JSON.parse(toJson(document)), toObject(document))
    }
  })

  it('is the same in every list', async () => {
    await putMany()
    const json = toJson(await store.get('d'))
    const shown = []
    for (const options of [{}, { keys: ['d'] }]) {
      for await (const page of (await store.allDocs({ ...options, includeDocs: true })).rows) for (const { document } of page) shown.push(document)
    }
    for await (const page of store.changes({ includeDocs: true })) for (const { document } of page) shown.push(document)
    shown.push((await store.bulkGet([{ id: 'd' }]))[0].ok, (await store.openRevs('d', 'all'))[0].ok)
    assert.deepEqual(shown.map(document => toJson(document)), new Array(5).fill(json))
  })

  it('is read as it was, whatever is written meanwhile', async () => {
    await putMany()
    const { rev, attachments } = await store.get('d')
    const reads = [store.getAttachment('d', '7').then(attachment => attachment.read()), store.get('d', { attachments: true, revsInfo: true }), store.bulkGet([{ id: 'd' }, { id: 'd', rev }], { revsInfo: true })]
    await store.put({ _id: 'd', _rev: rev })
    await store.compact()
    const [one, whole, both] = await Promise.all(reads)
    assert.equal(String(one), `content ${MANY - 7}`)
    assert.deepEqual(Object.keys(whole.attachments), Object.keys(attachments))
    assert.equal(String(whole.attachments['7'].data), `content ${MANY - 7}`)
    for (const { revsInfo } of [whole, ...both.map(({ ok }) => ok)]) assert.deepEqual(revsInfo, [{ rev, status: 'available' }])
  })

  /** @param {Record<string, any>} [rest] members of all of them */
  function manyOf (rest) { return Object.fromEntries(Array.from({ length: MANY }, (_, i) => [`a${i}`, { data: Buffer.from(`${i % 1500}`).toString('base64'), ...rest }])) }

  for (const kind of /** @type {const} */ ([true, 'couchdb'])) {
    it(`has the revision that it would have in one go: ${kind}`, async () => {
      const { rev } = await store.put({ _id: 'd', n: 1, _attachments: manyOf() }, { deterministicRevs: kind })
      const { attachments } = await store.get('d')
      assert.equal(rev, `1-${editHash(false, null, /** @type {any} */ (attachments), '{"n":1}', kind)}`)
      const stubs = Object.fromEntries(Object.keys(attachments ?? {}).map(name => [name, { stub: true }]))
      const next = await store.put({ _id: 'd', _rev: rev, n: 2, _attachments: stubs }, { deterministicRevs: kind })
      assert.equal(next.rev, `2-${editHash(false, rev, /** @type {any} */ (attachments), '{"n":2}', kind)}`)
    })
  }

  it('has the revision that it would have in one go, where its body is long, too', async () => {
    const members = { list: Array.from({ length: 60_000 }, (_, i) => [i * 7919, `${i} "é`, { [`m${i}`]: -i / 8 }]) }
    for (const _attachments of [undefined, { a: { data: '' } }, manyOf()]) {
      const { rev } = await store.put({ _id: 'd', ...members, _attachments }, { deterministicRevs: 'couchdb' })
      const { attachments } = await store.get('d')
      assert.equal(rev, `1-${editHash(false, null, /** @type {any} */ (attachments ?? {}), JSON.stringify(members), 'couchdb')}`)
      await store.purge({ d: [rev] })
    }
  })

  it('is refused as one with few, and only by itself', async () => {
    const wrong = { ...manyOf(), last: { data: '*' } }
    const errors = []
    for (const attachments of [wrong, { last: wrong.last }]) errors.push(await store.put({ _id: 'd', _attachments: attachments }).catch(error => error))
    assert.deepEqual(errors.map(({ code, reason }) => ({ code, reason })), new Array(2).fill({ code: 'BAD_REQUEST', reason: 'Invalid attachment data for last' }))
    const results = await store.write([{ _id: 'a', _attachments: wrong }, { _id: 'b', _attachments: manyOf() }, { _id: 'c', _attachments: manyOf(), _bad: 1 }])
    assert.deepEqual(results.map(result => result instanceof Error ? result.reason : result.id), ['Invalid attachment data for last', 'b', 'Bad special document member: _bad'])
    assert.equal(Object.keys((await store.get('b')).attachments ?? {}).length, MANY)
  })

  it('leaves nothing when it is gone, in a partition or not', async () => {
    const databases = await Databases.open(new MemoryLevel())
    for (const partitioned of [false, true]) {
      const own = await databases.create(`p${partitioned}`, { partitioned })
      const { rev } = await own.put({ _id: 'p:d', _attachments: manyOf() })
      if (partitioned) assert.equal((await own.partitionInfo('p')).sizes.external - (await own.info()).sizes.external, bytesOf(MANY) - bytesOf(1500))
      await own.put({ _id: 'p:d', _rev: rev })
      await own.compact()
      assert.equal((await own.info()).sizes.external, 2 + 1)
      if (partitioned) assert.equal((await own.partitionInfo('p')).sizes.external, 2 + 1)
    }
    await databases.close()
  })
})

/** Returns the bytes of `count` contents. @param {number} count */
function bytesOf (count) {
  let sum = 0
  for (let i = 0; i < count; i++) sum += `${i % 1500}`.length
  return sum
}
