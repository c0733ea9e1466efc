'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('..')

/** Counts what is read. */
class CountingLevel extends MemoryLevel {
  reads = 0

  _get (key, options) {
    this.reads++
    return super._get(key, options)
  }

  _getSync (key, options) {
    this.reads++
    return super._getSync(key, options)
  }
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
})
