'use strict'

const { twice } = require('./terms/table')

/** Room for tokens at first. */
const ROOM = 4096

/** A field has a table of all names once its tokens are an eighth of them: many fields of few tokens would take much room. */
const SPARSE = 8

/** A batch has a table of all terms of the index once it has a sixteenth of them: to make one for a single document would take longer than all else. */
const FEW_TERMS = 16

const NO_PLACES = new Int32Array(0)

/** A row for each term: how many documents have it, its tokens, and the last field of a document that had it, from 1. */
const ROW = 4
const DOCUMENTS = 0
const TOKENS = 1
const LAST = 2

/**
 * The tokens of a batch of documents, which are brought into the order of their terms: there is no object for each.
 *
 * @typedef {import('./terms/table').Terms} Terms
 * @typedef {import('../postings/columns').Columns} Columns
 * @typedef {{ tokens: number, places: Int32Array, numbers: Int32Array }} Places of names: their places and their numbers, + 1; 0, and what is behind
 *   the end: not known yet; tokens: how many came
 */
class PostingBatch {
  #known
  /** Numbers of terms are below that. */
  #end
  /** Terms that are known by their numbers: number → place, while they are few of all. @type {Map<number, number> | null} */
  #few = new Map()
  /** The same of many: place + 1, 0 for none. */
  #placeOf = NO_PLACES
  /** Others: field → term → place @type {Map<string, Map<string, number>>} */
  #unknown = new Map()
  /** The number of each term, -1: it is not known. */
  numbers = new Int32Array(ROOM)
  /** Terms whose numbers are not known, with their places. @type {Array<{ field: string, term: string, place: number }>} */
  unknown = []
  /** How many terms there are. */
  terms = 0
  /** Numbers in all tables of names. */
  room = 0
  #rows = new Int32Array(ROW * ROOM)
  /** The document of each field that came, by its place among those that came, and the code of the field's length. @type {number[]} */
  #documentOf = []
  /** @type {number[]} */
  #norms = []
  /** Numbers of the documents. @type {number[]} */
  #docs = []
  /** Starts of each document's terms among those of all, and the end of the last's. */
  #starts = [0]
  /** The term of each token, its field of a document, and its position. */
  #count = 0
  #termOf = new Int32Array(ROOM)
  #fieldOf = new Int32Array(ROOM)
  #positionOf = new Int32Array(ROOM)
  /** By names and field. @type {Map<string[], Map<string, Places>>} */
  #places = new Map()
  /** Starts of each term's tokens in the order of terms. */
  #first = new Int32Array(0)
  /** Numbers of the terms of each document, and where those of the document go that come next. */
  #own = new Int32Array(0)
  #ends = new Int32Array(0)

  /**
   * @param {import('./terms/numbers').TermNumbers} known
   * @param {number} terms numbers of terms are below that
   */
  constructor (known, terms) {
    this.#known = known
    this.#end = terms
  }

  /** The place of a term. @param {string} field @param {string} term */
  #place (field, term) {
    const number = this.#known.get(field, term)
    if (number === undefined) return this.#unknownPlace(field, term)
    return this.#knownPlace(number)
  }

  /** @param {number} number */
  #knownPlace (number) {
    if (this.#few !== null) return this.#fewPlace(number, this.#few)
    let place = this.#placeOf[number] - 1
    if (place === -1) this.#placeOf[number] = 1 + (place = this.#newPlace(number))
    return place
  }

  /** @param {number} number @param {Map<number, number>} few */
  #fewPlace (number, few) {
    let place = few.get(number)
    if (place === undefined) {
      few.set(number, place = this.#newPlace(number))
      if (FEW_TERMS * few.size > this.#end) this.#giveTable(few)
    }
    return place
  }

  /** @param {Map<number, number>} few */
  #giveTable (few) {
    this.#placeOf = new Int32Array(this.#end)
    for (const [number, place] of few) this.#placeOf[number] = 1 + place
    this.#few = null
  }

  /** @param {string} field @param {string} term */
  #unknownPlace (field, term) {
    let terms = this.#unknown.get(field)
    if (terms === undefined) this.#unknown.set(field, terms = new Map())
    let place = terms.get(term)
    if (place === undefined) {
      terms.set(term, place = this.#newPlace(-1))
      this.unknown.push({ field, term, place })
    }
    return place
  }

  /** @param {number} number */
  #newPlace (number) {
    if (this.terms === this.numbers.length) {
      this.numbers = twice(this.numbers)
      this.#rows = twice(this.#rows)
    }
    this.numbers[this.terms] = number
    return this.terms++
  }

  /** Begins a document. @param {number} doc above those before */
  begin (doc) {
    this.#docs.push(doc)
    this.#starts.push(this.#starts[this.#starts.length - 1])
  }

  /**
   * Adds a field of the document.
   *
   * @param {string} field
   * @param {number} norm
   * @param {Terms} terms
   * @param {number} from the first token
   * @param {number} to
   */
  add (field, norm, { names, tokens, positions }, from, to) {
    const number = this.#newField(norm)
    const known = this.#placesOf(names, field, to - from)
    const { places } = known
    while (this.#count + to - from > this.#termOf.length) this.#growTokens()
    const termOf = this.#termOf
    let rows = this.#rows
    let count = this.#count
    let own = 0
    for (let at = from; at < to; at++) {
      const token = tokens[at]
      let place = token < places.length ? places[token] - 1 : -1
      if (place === -1) {
        place = this.#firstPlace(known, names, field, token)
        if (token < places.length) places[token] = 1 + place
        rows = this.#rows
      }
      termOf[count++] = place
      own += note(rows, place, number)
    }
    this.#fieldOf.fill(number, this.#count, count)
    this.#positionOf.set(positions.subarray(from, to), this.#count)
    this.#count = count
    this.#starts[this.#starts.length - 1] += own
  }

  /** Adds a field of one term. @param {string} field @param {string} term */
  addWhole (field, term) {
    if (this.#count === this.#termOf.length) this.#growTokens()
    const number = this.#newField(1)
    const place = this.#termOf[this.#count] = this.#place(field, term)
    note(this.#rows, place, number)
    this.#fieldOf[this.#count] = number
    this.#positionOf[this.#count++] = 0
    this.#starts[this.#starts.length - 1]++
  }

  /** @param {number} norm */
  #newField (norm) {
    this.#norms.push(norm)
    return this.#documentOf.push(this.#docs.length - 1) - 1
  }

  /** @param {string[]} names @param {string} field @param {number} tokens more @returns {Places} */
  #placesOf (names, field, tokens) {
    let fields = this.#places.get(names)
    if (fields === undefined) this.#places.set(names, fields = new Map())
    let places = fields.get(field)
    if (places === undefined) fields.set(field, places = { tokens: 0, places: NO_PLACES, numbers: this.#known.numbersOf(names, field) })
    places.tokens += tokens
    if (places.places === NO_PLACES && SPARSE * places.tokens >= names.length) this.#giveRoom(places, names.length)
    return places
  }

  /** @param {Places} places @param {number} length */
  #giveRoom (places, length) {
    this.room += length
    places.places = new Int32Array(length)
  }

  /** @param {Places} known @param {string[]} names @param {string} field @param {number} token */
  #firstPlace ({ numbers }, names, field, token) {
    const number = token < numbers.length ? numbers[token] - 1 : -1
    return number === -1 ? this.#place(field, names[token]) : this.#knownPlace(number)
  }

  #growTokens () {
    this.#termOf = twice(this.#termOf)
    this.#fieldOf = twice(this.#fieldOf)
    this.#positionOf = twice(this.#positionOf)
  }

  /** Tells which numbers the names have that came, once all are known. */
  remember () {
    for (const [names, fields] of this.#places) {
      for (const [field, { places, numbers }] of fields) if (places !== NO_PLACES) this.#known.remember(names, field, places.map((place, token) => place === 0 ? numbers[token] ?? 0 : this.numbers[place - 1] + 1))
    }
  }

  /** Brings all tokens into the order of their terms, and of each term into that of documents. Nothing is added after that. */
  sort () {
    const first = this.#first = new Int32Array(this.terms + 1)
    for (let place = 0; place < this.terms; place++) first[place + 1] = first[place] + this.#rows[ROW * place + TOKENS]
    const ends = first.slice()
    const fieldOf = new Int32Array(this.#count)
    const positionOf = new Int32Array(this.#count)
    for (let i = 0; i < this.#count; i++) {
      const at = ends[this.#termOf[i]]++
      fieldOf[at] = this.#fieldOf[i]
      positionOf[at] = this.#positionOf[i]
    }
    this.#fieldOf = fieldOf
    this.#positionOf = positionOf
    this.#termOf = ends
    this.#ends = Int32Array.from(this.#starts)
    this.#own = new Int32Array(this.#starts[this.#docs.length])
  }

  /** How many documents have a term. @param {number} place */
  count (place) { return this.#rows[ROW * place + DOCUMENTS] }

  /** Adds the postings of a term. It is called once for each term, in the order of their numbers. @param {number} place @param {Columns} columns */
  addTo (place, columns) {
    const end = this.#first[place + 1]
    const number = this.numbers[place]
    let last = -1
    for (let at = this.#first[place]; at < end; at++) {
      const field = this.#fieldOf[at]
      if (field !== last) {
        const document = this.#documentOf[field]
        columns.add(this.#docs[document], this.#norms[field])
        this.#own[this.#ends[document]++] = number
        last = field
      }
      columns.addPosition(this.#positionOf[at])
    }
  }

  /** The numbers of a document's terms, in ascending order, after `addTo` of all. @param {number} document by its place among those that came */
  numbersOf (document) { return this.#own.subarray(this.#starts[document], this.#starts[document + 1]) }
}

/** Counts a token. @param {Int32Array} rows @param {number} place @param {number} number of the field @returns {number} 1 for the field's first of the term */
function note (rows, place, number) {
  const row = ROW * place
  rows[row + TOKENS]++
  if (rows[row + LAST] === number + 1) return 0
  rows[row + LAST] = number + 1
  rows[row + DOCUMENTS]++
  return 1
}

module.exports = { PostingBatch }
