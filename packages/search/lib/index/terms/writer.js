'use strict'

const { BLOCK, packBlock } = require('../../postings/block')
const { BlockReader } = require('../../postings/block-reader')
const { Columns, NONE } = require('../../postings/columns')
const { GroupReader, groupsOf, packGroup } = require('../../postings/group')
const { NO_PLACE, NO_RECORD, PlaceReader, RecordWriter, placesOf } = require('../../postings/record-writer')
const { TERMS, decodeTerm, encodeTerm } = require('../../postings/records')

/** Documents that are further from each other are in different blocks: see ../../postings/bits.js. */
const FAR = 2 ** 30

/** Bytes of what came in small batches behind a record, which is written again beyond that; one that has fewer itself is at once. */
const LATE = 1024

/** The place of a term that the batch has not. */
const NO_TERM = -1

/**
 * Works out how the postings of terms change. It writes blocks, and gives back records of terms.
 *
 * @typedef {import('../../postings/block').Block} Block
 * @typedef {import('../../postings/records').Term} Term
 * @typedef {import('../../postings/record-writer').Place} Place
 * @typedef {import('../posting-batch').PostingBatch} PostingBatch
 * @typedef {{ number: number, place: number, out?: Set<number> }} Change of a term: its place in the batch, or `NO_TERM`; documents that have it no longer
 * @typedef {{ put (key: string, value: string): void, del (key: string, value: string): void }} Writes
 */
class TermWriter {
  #keyspace
  #layout
  #writes
  #records = new RecordWriter()
  #places = new PlaceReader()
  #columns = new Columns()
  #reader = new BlockReader()
  #group = new GroupReader()

  /**
   * @param {import('../writer').Keyspace} keyspace
   * @param {import('../layout').IndexLayout} layout
   * @param {Writes} writes
   */
  constructor (keyspace, layout, writes) {
    this.#keyspace = keyspace
    this.#layout = layout
    this.#writes = writes
  }

  /**
   * Adds postings of a batch to the terms of a record.
   *
   * @param {Buffer | undefined} before the record
   * @param {Change[]} changes in the order of their numbers
   * @param {PostingBatch} batch
   * @returns {Buffer} what the record becomes
   */
  add (before, changes, batch) {
    const record = before ?? NO_RECORD
    const place = this.#places
    this.#records.begin()
    place.open(record)
    for (let slot = 0, next = 0; slot < TERMS; slot++) {
      const change = next < changes.length && changes[next].number % TERMS === slot ? changes[next++] : undefined
      const isThere = place.slot === slot
      if (change !== undefined) this.#addOne(record, slot, isThere ? place : NO_PLACE, change, batch)
      else if (isThere) this.#records.copy(record, slot, place)
      if (isThere) place.next()
    }
    return this.#records.end()
  }

  /**
   * Adds postings of a small batch, without writing the record again.
   *
   * @param {Buffer} record
   * @param {Buffer} late what came behind it before
   * @param {Change[]} changes in the order of their numbers
   * @param {PostingBatch} batch
   * @returns {Buffer | undefined} what comes behind it now; undefined: the record has to be written, and nothing was added
   */
  addLate (record, late, changes, batch) {
    if (record.length < LATE || late.length > LATE) return undefined
    const places = placesOf(record)
    const more = placesOf(late)
    const countOf = (/** @type {number} */ slot) => (places[slot]?.count ?? 0) + (more[slot]?.count ?? 0)
    if (changes.some(({ number, place }) => countOf(number % TERMS) + batch.count(place) >= BLOCK)) return undefined
    this.#records.begin()
    for (let slot = 0, next = 0; slot < TERMS; slot++) {
      const change = next < changes.length && changes[next].number % TERMS === slot ? changes[next++] : undefined
      const before = more[slot]
      if (change !== undefined) {
        batch.addTo(change.place, this.#columns.clear())
        this.#records.extend(late, slot, before ?? { ...NO_PLACE, last: places[slot]?.last ?? 0 }, this.#columns)
      } else if (before !== undefined) this.#records.copy(late, slot, before)
    }
    return this.#records.end()
  }

  /** A record with what came behind it. @param {Buffer} record @param {Buffer} late @returns {Buffer} */
  join (record, late) {
    const places = placesOf(record)
    const more = placesOf(late)
    this.#records.begin()
    for (let slot = 0; slot < TERMS; slot++) {
      const place = places[slot]
      const behind = more[slot]
      if (place !== undefined && behind !== undefined) this.#records.join(slot, record, place, late, behind)
      else if (place !== undefined) this.#records.copy(record, slot, place)
      else if (behind !== undefined) this.#records.copy(late, slot, behind)
    }
    return this.#records.end()
  }

  /** @param {Buffer} record @param {number} slot @param {Place} before @param {Change} change @param {PostingBatch} batch */
  #addOne (record, slot, before, { number, place }, batch) {
    if (before.count + batch.count(place) >= BLOCK) {
      const term = before === NO_PLACE ? { number, df: 0, blocks: 0, tail: NONE } : decodeTerm(number, record.latin1Slice(before.start, before.end))
      return this.#records.text(slot, encodeTerm(this.#added(term, batch, place)))
    }
    batch.addTo(place, this.#columns.clear())
    this.#records.extend(record, slot, before, this.#columns)
  }

  /**
   * The same where documents are taken out, too.
   *
   * @param {Buffer | undefined} before
   * @param {Change[]} changes
   * @param {PostingBatch} batch
   * @param {(number: number) => void} onGone is told of terms that no document has any more
   * @returns {Promise<Buffer>}
   */
  async change (before, changes, batch, onGone) {
    const record = before ?? NO_RECORD
    const places = placesOf(record)
    /** @type {Array<string | undefined>} */
    const terms = places.map(place => place && record.latin1Slice(place.start, place.end))
    for (const { number, place, out } of changes) {
      const slot = number % TERMS
      const term = await this.#without(decodeTerm(number, terms[slot]), out)
      const changed = place === NO_TERM ? term : this.#added({ ...term, number }, batch, place)
      terms[slot] = changed.df === 0 ? undefined : encodeTerm(changed)
      if (changed.df === 0) onGone(number)
    }
    this.#records.begin()
    terms.forEach((text, slot) => { if (text !== undefined) this.#records.text(slot, text) })
    return this.#records.end()
  }

  /** @param {Term} term @param {PostingBatch} batch @param {number} place @returns {Term} */
  #added ({ number, df, blocks, tail }, batch, place) {
    const columns = this.#columns.clear()
    const isFull = tail.count + batch.count(place) >= BLOCK
    if (isFull) columns.addTail(tail)
    batch.addTo(place, columns)
    df += batch.count(place)
    if (!isFull) return { number, df, blocks, tail: columns.tail(tail, 0) }
    /** @type {Block[]} */
    const packed = []
    let from = 0
    for (let to = blockEnd(columns, from); to !== from; to = blockEnd(columns, from)) {
      packed.push(packBlock(columns, from, to))
      from = to
    }
    this.#putBlocks(number, packed)
    return { number, df, blocks: blocks + packed.length, tail: columns.tail(NONE, from) }
  }

  /** @param {number} number @param {Block[]} blocks in the order of their documents */
  #putBlocks (number, blocks) {
    for (const group of groupsOf(blocks)) {
      const { last, text, positions } = packGroup(group)
      this.#writes.put(this.#layout.block(number, last), text)
      this.#writes.put(this.#layout.positions(number, last), positions)
    }
  }

  /** @param {Term} term @param {Set<number> | undefined} out @returns {Promise<Term>} */
  async #without (term, out) {
    if (out === undefined) return term
    let { number, df, blocks, tail } = term
    const columns = this.#columns.clear()
    columns.addTail(tail)
    const inTail = new Set(columns.docs.subarray(0, columns.count).filter(doc => out.has(doc)))
    columns.remove(out)
    if (inTail.size > 0) tail = columns.tail(NONE, 0)
    const others = [...out].filter(doc => !inTail.has(doc)).sort((a, b) => a - b)
    for (let at = 0; at < others.length;) {
      const group = await this.#groupOf(number, others[at])
      if (group === undefined) break
      const end = others.findIndex(doc => doc > group.last)
      const here = others.slice(at, end === -1 ? others.length : Math.max(end, at + 1))
      blocks -= this.#replaceGroup(number, group, new Set(here))
      at += here.length
    }
    return { number, df: df - out.size, blocks, tail }
  }

  /** The record of the block that has a document. @param {number} number @param {number} doc */
  async #groupOf (number, doc) {
    const iterator = this.#keyspace.entries({ gte: this.#layout.block(number, doc), lt: this.#layout.blocksEnd(number), limit: 1 })
    const [entry] = await iterator.all()
    if (entry === undefined) return undefined
    const [key, text] = /** @type {[string, string]} */ (entry)
    const last = this.#layout.lastOf(key, number)
    const [positions] = await this.#keyspace.getMany([this.#layout.positions(number, last)])
    return { text, last, positions: /** @type {string} */ (positions) }
  }

  /** @param {number} number @param {{ text: string, last: number, positions: string }} group @param {Set<number>} out @returns {number} blocks fewer */
  #replaceGroup (number, { text, last, positions }, out) {
    const group = this.#group
    group.open(text)
    const blocks = Array.from({ length: group.count }, (_, i) => this.#blockWithout(group, i, positions, out)).filter(block => block !== undefined)
    this.#writes.del(this.#layout.block(number, last), text)
    this.#writes.del(this.#layout.positions(number, last), positions)
    this.#putBlocks(number, blocks)
    return group.count - blocks.length
  }

  /** @param {GroupReader} group @param {number} i @param {string} positions @param {Set<number>} out @returns {Block | undefined} undefined: nothing is left */
  #blockWithout (group, i, positions, out) {
    this.#reader.openBlock(group.text, group.starts[i])
    const { docs, count } = this.#reader
    if (!docs.subarray(0, count).some(doc => out.has(doc))) return group.block(i, positions)
    const columns = this.#columns.clear()
    this.#reader.openPositions(positions, group.places[i])
    this.#reader.addTo(columns)
    columns.remove(out)
    return columns.count === 0 ? undefined : packBlock(columns, 0, columns.count)
  }
}

/** Returns where a block of postings ends that begins at `from`; `from` itself: there are too few. @param {Columns} columns @param {number} from */
function blockEnd ({ docs, count }, from) {
  const most = Math.min(count, from + BLOCK)
  for (let i = from + 1; i < most; i++) if (docs[i] - docs[i - 1] >= FAR) return i
  return most === from + BLOCK ? most : from
}

module.exports = { NO_TERM, TermWriter }
