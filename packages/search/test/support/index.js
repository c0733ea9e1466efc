'use strict'

const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('@potoroo/document-store')
const { IndexReader } = require('../../lib/index/reader')
const { TermNumbers } = require('../../lib/index/terms/numbers')
const { IndexWriter } = require('../../lib/index/writer')
const { DocumentBuilder } = require('../../lib/index/document-builder')
const { evaluate } = require('../../lib/execution/evaluate')
const { Work } = require('../../lib/execution/work')

/** Splits at spaces. */
function tokens (text) {
  return text.split(' ').filter(word => word !== '').map((term, position) => ({ term, position, start: 0, end: 0 }))
}

/** An index in a level of its own. */
class TestIndex {
  static async open (level = new MemoryLevel()) {
    const index = new TestIndex()
    index.level = level
    index.store = await DocumentStore.open(level)
    index.space = index.store.indexSpace
    index.prefix = `${index.space.prefix}T`
    index.known = new TermNumbers()
    index.counts = { next: 1, documents: 0, terms: 0 }
    return index
  }

  /** @param {Record<string, Record<string, string | number> | null>} documents fields of each, by id */
  async write (documents) { return this.writeBuilt(Object.entries(documents).map(([id, fields]) => ({ id, built: fields && built(fields) }))) }

  /** @param {Array<{ id: string, built: import('../../lib/index/document-builder').BuiltDocument | null }>} documents */
  async writeBuilt (documents) {
    const writer = new IndexWriter(this.space.keyspace, this.prefix, this.counts, this.known)
    await writer.replace(documents)
    await this.space.keyspace.write(writer.operations)
    this.counts = writer.counts
    return writer
  }

  reader () { return new IndexReader(this.space, this.prefix, undefined, this.counts.documents) }

  /** @returns {Promise<Array<[string, number]>>} ids and scores, in the order in which documents came */
  async find (node, { matcherOf, work = new Work() } = {}) {
    const reader = this.reader()
    const matches = await evaluate({ reader, work, matcherOf }, node)
    const records = await reader.records(matches.list())
    return records.map(({ id }, i) => [id, matches.scores[i]])
  }

  /** All that is stored. */
  entries () { return this.space.keyspace.entries({ gte: this.prefix, lt: `${this.prefix}\x7f` }).all() }

  close () { return this.store.close() }
}

function built (fields) {
  const builder = new DocumentBuilder()
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'number') builder.addNumber(name, value)
    else builder.addText(name, tokens(value))
    builder.addValue(name, value)
  }
  return builder.finish()
}

module.exports = { TestIndex, tokens }
