'use strict'

const { idf, scorer } = require('./bm25')
const { Matches } = require('./matches')
const { PostingCursor } = require('./posting-cursor')
const { countSloppy, repeatsOf } = require('./sloppy')
const { Within } = require('./within')

/**
 * @typedef {import('./terms').Search} Search
 * @typedef {{ field: string, terms: Array<{ term: string, position: number }>, slop: number }} Phrase
 */

/**
 * The documents of a phrase: the rarest term says which may be one, the others are looked up there, and positions are read of
 * those that have all.
 *
 * @param {Search} search
 * @param {Phrase} phrase
 * @param {number} boost
 * @param {Matches} [wanted]
 */
async function phraseMatches (search, { field, terms, slop }, boost, wanted) {
  const { reader } = search
  const statistics = await reader.statistics(field)
  const records = await Promise.all(terms.map(({ term }) => reader.term(field, term)))
  const out = new Matches()
  if (records.some(({ df }) => df === 0)) return out
  const weight = records.reduce((sum, { df }) => sum + idf(df, statistics[0]), 0) * boost
  const order = terms.map((_, i) => i).sort((a, b) => records[a].df - records[b].df)
  const places = order.map(i => new Places(new PostingCursor(reader, records[i]), terms[i]))
  try {
    await together(search, places, new Within(wanted), slop, scorer(weight, statistics), out)
  } finally {
    for (const { cursor } of places) await cursor.close()
  }
  return out
}

/** Work that is added up before others have their turn. */
const MUCH = 4096

/** A term of a phrase, and where it begins the phrase in a document. */
class Places {
  /** The first `count` are there, ascending. */
  starts = new Int32Array(16)
  count = 0

  /** @param {PostingCursor} cursor @param {{ term: string, position: number }} term position: in the phrase */
  constructor (cursor, { term, position }) {
    this.cursor = cursor
    this.term = term
    this.offset = position
  }

  /** Reads where it begins the phrase in the document that the cursor is at. */
  read () {
    const { freq } = this.cursor
    if (freq > this.starts.length) this.starts = new Int32Array(2 * freq)
    const { starts, offset } = this
    this.cursor.positions(starts)
    if (offset !== 0) for (let i = 0; i < freq; i++) starts[i] -= offset
    this.count = freq
    return freq
  }
}

/**
 * @param {Search} search
 * @param {Places[]} places the rarest first
 * @param {Within} within
 * @param {number} slop
 * @param {import('./terms').Scorer} scorer
 * @param {Matches} out
 */
async function together ({ work }, places, within, slop, scorer, out) {
  const repeats = repeatsOf(places)
  let cost = 0
  for (let doc = within.next(0); doc < Infinity;) {
    const next = nextCommon(places, doc)
    const common = typeof next === 'number' ? next : await next
    for (let i = 0; i < places.length; i++) cost += places[i].cursor.take()
    if (common < Infinity && within.next(common) === common) {
      // A document may have very many of each, which are read at once.
      cost += costOf(places, slop)
      if (cost > MUCH) await work.spend(cost)
      if (cost > MUCH) cost = 0
      const reading = read(places)
      if (reading !== undefined) await reading
      const freq = slop === 0 ? countExact(places) : countSloppy(places, repeats, slop)
      if (freq > 0) out.add(common, scorer.score(freq, places[0].cursor.norm))
    }
    doc = common < Infinity ? within.next(common + 1) : Infinity
  }
  await work.spend(cost)
}

/**
 * Finds the first document from one on that has all terms, at which all are then.
 *
 * @param {Places[]} places
 * @param {number} doc
 * @returns {number | Promise<number>} Infinity where there is none; a promise where something has to be read
 */
function nextCommon (places, doc) {
  for (let i = 0; i < places.length;) {
    const { cursor } = places[i]
    if (cursor.doc < doc) {
      const pause = cursor.advance(doc)
      if (pause !== undefined) return pause.then(() => nextCommon(places, doc))
    }
    if (cursor.doc === doc) i++
    else if (cursor.doc === Infinity) return Infinity
    else {
      doc = cursor.doc
      i = i === 0 ? 1 : 0
    }
  }
  return doc
}

/** Reads the places in the document that all are at. @param {Places[]} places @returns {void | Promise<void>} */
function read (places) {
  for (let i = 0; i < places.length; i++) {
    const reading = places[i].cursor.ready()
    if (reading !== undefined) return reading.then(() => read(places))
  }
  for (let i = 0; i < places.length; i++) places[i].read()
}

/** Places that are read, and steps that `countSloppy` takes: for each occurrence it looks at all terms. @param {Places[]} places @param {number} slop */
function costOf (places, slop) {
  const count = places.reduce((sum, { cursor }) => sum + cursor.freq, 0)
  return slop > 0 ? count * (1 + places.length) : count
}

/** How many places all terms agree on. @param {Places[]} places */
function countExact (places) {
  const [first, second] = places
  if (places.length === 2) return countBoth(first, second)
  const at = places.map(() => 0)
  let count = 0
  for (let i = 0; i < first.count; i++) {
    const start = first.starts[i]
    const isThere = places.every(({ starts, count }, k) => {
      while (at[k] < count && starts[at[k]] < start) at[k]++
      return at[k] < count && starts[at[k]] === start
    })
    if (isThere) count++
  }
  return count
}

/** The same of two. @param {Places} first @param {Places} second */
function countBoth ({ starts: a, count: most }, { starts: b, count: others }) {
  let count = 0
  for (let i = 0, k = 0; i < most && k < others;) {
    if (a[i] === b[k]) count++
    if (a[i] <= b[k]) i++
    else k++
  }
  return count
}

module.exports = { Places, phraseMatches }
