'use strict'

/** Random numbers that are the same in every run: mulberry32. */
class Random {
  #state

  constructor (seed = 1) {
    this.#state = seed
  }

  /** @returns {number} an unsigned 32-bit integer */
  next () {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return (t ^ (t >>> 14)) >>> 0
  }

  /** @returns {string} of 8 hex digits for each word */
  hex (words) {
    return Array.from({ length: words }, () => this.next().toString(16).padStart(8, '0')).join('')
  }
}

/** @returns {string[]} random keys of 16 bytes; equal seeds give equal keys */
function makeKeys (count, seed = 1) {
  const random = new Random(seed)
  return Array.from({ length: count }, () => random.hex(2))
}

// Made before, and flat in memory, so that a trial does not time the making of its data.
const VALUES = Array.from({ length: 1024 }, (_, number) => Buffer.from(new Random(number).hex(25)).toString('latin1'))

/** @returns {string} a value of 200 bytes, one of 1024 */
function makeValue (number) {
  return VALUES[number % VALUES.length]
}

/** @returns {string} the id of the document with this number, ascending */
function documentId (number) {
  return 'document-' + number.toString().padStart(8, '0')
}

/** @returns {{ _id: string } & Record<string, any>} a document of some 200 bytes of JSON */
function makeDocument (number) {
  return {
    _id: documentId(number),
    type: 'person',
    name: `Person number ${number}`,
    age: number % 90,
    email: `person.${number}@example.com`,
    tags: ['one', 'two', 'three'],
    address: { street: `${number} High Street`, city: 'Launceston', zip: 7250 }
  }
}

/** @returns {ReturnType<typeof makeDocument>[]} documents [start, start + count) */
function makeDocuments (start, count) {
  return Array.from({ length: count }, (_, index) => makeDocument(start + index))
}

/** @returns {Buffer} of 50,000 bytes; each number's is another */
function makeContent (number) {
  const content = Buffer.alloc(50_000)
  let state = number + 1
  for (let at = 0; at < content.length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    content[at] = state >>> 24
  }
  return content
}

/** @returns {Record<string, any>} an object of ten properties, the same in every run: some 200 bytes of JSON */
function makeObject (number) {
  return {
    number,
    name: `Person ${number}`,
    email: `person.${number}@example.com`,
    age: number % 90,
    score: number + 0.5,
    visits: number * 3,
    active: number % 2 === 0,
    joined: 1_600_000_000_000 + number * 1000,
    city: 'Launceston',
    address: { street: `${number} High Street`, zip: 7250 }
  }
}

/** @returns {Record<string, any>[]} objects [start, start + count) */
function makeObjects (start, count) {
  return Array.from({ length: count }, (_, index) => makeObject(start + index))
}

/** @returns {Record<string, any>} one object of that many properties, numbers and short strings in turns */
function makeLargeObject (properties) {
  const object = {}
  for (let index = 0; index < properties; index++) {
    object[`property${index}`] = index % 2 === 0 ? index : `value ${index}`
  }
  return object
}

module.exports = {
  Random, documentId, makeContent, makeDocument, makeDocuments, makeKeys, makeLargeObject, makeObject, makeObjects, makeValue
}
