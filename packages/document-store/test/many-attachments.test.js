'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('..')

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
})
