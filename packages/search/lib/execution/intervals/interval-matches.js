'use strict'

const { Matches } = require('../matches')
const { PostingCursor } = require('../posting-cursor')
const { IntervalList } = require('./interval-list')
const { planOf } = require('./plan')
const { operations } = require('./steps')

/**
 * @typedef {import('../evaluate').Search} Search
 * @typedef {import('./plan').Plan} Plan
 * @typedef {import('./steps').Step} Step
 * @typedef {import('../../..').IntervalSource} IntervalSource
 * @typedef {{ field: string, source: IntervalSource }} IntervalNode
 * @typedef {(search: Search, node: any, boost: number, wanted?: Matches) => Promise<Matches>} Evaluate
 */

/** Work that is added up before others have their turn. */
const MUCH = 4096
/** How many postings are read in the time of an interval. */
const INTERVAL = 4
/** Steps that put the intervals of their parts in order. */
const QUEUED = new Set(['anyOf', 'atLeast', 'unordered'])
/** How many terms are looked at in the time of a posting. */
const TERMS = 16

/** A step of a plan, with what it found in a document. */
class Worker {
  list = new IntervalList()

  /** @param {Step} step @param {Worker[]} parts @param {PostingCursor | undefined} cursor of a term that documents have */
  constructor ({ kind, numbers }, parts, cursor) {
    this.operation = operations[kind]
    this.numbers = numbers
    this.parts = parts
    this.cursor = cursor
    this.#weight = INTERVAL * (QUEUED.has(kind) ? 1 + Math.log2(Math.max(1, parts.length)) : 1)
  }

  #weight

  /** Reads, or works out, the intervals of a document. @param {number} doc that the cursor is at, if it has the term @returns {void | Promise<void>} */
  run (doc) {
    this.list.count = 0
    if (this.operation !== undefined) this.operation(this.parts.map(({ list }) => list), this.list, this.numbers)
    else if (this.cursor?.doc === doc) {
      const reading = this.cursor.ready()
      if (reading !== undefined) return reading.then(() => this.#read())
      this.#read()
    }
  }

  #read () {
    const { freq } = /** @type {PostingCursor} */ (this.cursor)
    this.list.reserve(freq)
    this.cursor?.positions(this.list.starts)
    this.list.takePositions(freq)
  }

  /** Tells what `run` will cost: no more intervals come out than go in. @param {number} doc */
  costOf (doc) {
    if (this.operation !== undefined) return this.parts.reduce((sum, { list }) => sum + list.count, 0) * this.#weight + 1
    return this.cursor?.doc === doc ? this.cursor.freq : 0
  }
}

/** Works a plan out in one document after the other. */
class Intervals {
  #workers
  #cursors
  #extent
  #work

  /** @param {Search} search @param {Plan} plan */
  constructor ({ reader, work }, { steps, terms, extent }) {
    /** By the steps' ids. @type {Worker[]} */
    const workers = []
    for (const step of steps) {
      const record = step.kind === 'term' ? terms.get(step.text) : undefined
      workers[step.id] = new Worker(step, step.parts.map(({ id }) => workers[id]), record && new PostingCursor(reader, record))
    }
    this.#workers = steps.map(({ id }) => workers[id])
    this.#cursors = this.#workers.flatMap(({ cursor }) => cursor ?? [])
    this.#extent = extent
    this.#work = work
  }

  /** @param {Matches} candidates @param {number} boost */
  async matches ({ docs, length }, boost) {
    const out = new Matches()
    for (let i = 0; i < length; i++) {
      for (const cursor of this.#cursors) {
        if (cursor.doc >= docs[i]) continue
        const reading = cursor.advance(docs[i])
        if (reading !== undefined) await reading
        this.#cost += cursor.take()
      }
      this.#cost += this.#cursors.length / TERMS
      const list = await this.#run(docs[i])
      if (list.count > 0) out.add(docs[i], saturated(frequency(list, this.#extent), boost))
    }
    await this.#work.spend(Math.ceil(this.#cost))
    return out
  }

  #cost = 0

  /** @param {number} doc @returns {Promise<IntervalList>} of the last step */
  async #run (doc) {
    for (const worker of this.#workers) {
      this.#cost += worker.costOf(doc)
      if (this.#cost > MUCH) {
        const pause = this.#work.spend(Math.ceil(this.#cost))
        this.#cost = 0
        if (pause !== undefined) await pause
      }
      const reading = worker.run(doc)
      if (reading !== undefined) await reading
    }
    return this.#workers[this.#workers.length - 1].list
  }

  async close () { for (const cursor of this.#cursors) await cursor.close() }
}

/** How much there is of them: longer ones than need be count less. @param {IntervalList} list @param {number} extent */
function frequency ({ starts, ends, count }, extent) {
  let sum = 0
  for (let i = 0; i < count; i++) sum = Math.fround(sum + 1 / Math.max((ends[i] - starts[i] + 1 - extent + 1) | 0, 1))
  return sum
}

/** As Lucene's IntervalQuery scores: in numbers of 32 bits, so that the same documents are alike. @param {number} freq @param {number} boost */
function saturated (freq, boost) { return Math.fround(Math.fround(boost) * Math.fround(1 - Math.fround(1 / Math.fround(1 + freq)))) }

/**
 * The documents of a function of intervals.
 *
 * @param {Search} search
 * @param {IntervalNode} node
 * @param {number} boost
 * @param {Matches | undefined} wanted documents besides these may be left out
 * @param {Evaluate} evaluate finds the documents of a query
 */
async function intervalMatches (search, { field, source }, boost, wanted, evaluate) {
  const plan = await planOf(search, field, source)
  const candidates = await evaluate(search, plan.candidates, 1, wanted)
  const intervals = new Intervals(search, plan)
  try {
    return await intervals.matches(candidates, boost)
  } finally {
    await intervals.close()
  }
}

module.exports = { intervalMatches }
