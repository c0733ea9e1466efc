'use strict'

const { couchCollation } = require('@potoroo/collation')
const { compareUtf8, toObject } = require('@potoroo/document-store')
const { compileSelector } = require('../..')

/** Values of fields, of all types; some documents lack a field. */
const VALUES = [undefined, null, true, 0, 1, 2.5, '', 'a', 'A', 'ab', 'é', [], [1], ['a', 2], {}, { b: 1 }]

const FIELDS = ['a', 'b', 'c']

/** Documents and finds, as a generator of random numbers has them. */
class RandomFinds {
  #random

  /** @param {() => number} random */
  constructor (random) {
    this.#random = random
  }

  below (count) { return Math.floor(this.#random() * count) }
  oneOf (list) { return list[this.below(list.length)] }

  /** A document's fields. */
  body () {
    return Object.fromEntries(FIELDS.map(field => [field, this.oneOf(VALUES)]).filter(([, value]) => value !== undefined))
  }

  /** The body of a find. */
  find () {
    const selector = {}
    for (const field of FIELDS) if (this.#random() < 0.5) selector[field] = this.#condition()
    const sort = this.#random() < 0.3 ? [FIELDS[this.below(3)]] : []
    const direction = this.oneOf(['asc', 'desc'])
    if (this.#random() < 0.2) selector.$or = FIELDS.slice(this.below(2)).map(field => ({ [field]: this.#condition() }))
    return { selector, sort: sort.map(field => ({ [field]: direction })), limit: this.oneOf([1, 3, 25, 1000]), skip: this.oneOf([0, 0, 2]) }
  }

  #condition () {
    const value = this.oneOf(VALUES.slice(1))
    return this.oneOf([
      { $eq: value }, { $eq: value }, { $gt: value }, { $gte: value }, { $lt: value }, { $lte: value }, { $gt: this.oneOf(VALUES.slice(1)), $lte: value },
      { $in: [value, this.oneOf(VALUES.slice(1))] }, { $ne: value }, { $exists: true }, { $exists: false }, { $beginsWith: 'a' }, { $type: 'string' }
    ])
  }
}

/** The ids that a find gives, by looking at every document. */
async function expected (store, { selector, sort, limit, skip }) {
  const matches = compileSelector(selector)
  const fields = sort.map(each => Object.keys(each)[0])
  const direction = sort.some(each => Object.values(each)[0] === 'desc') ? -1 : 1
  const found = []
  const { rows } = await store.allDocs({ includeDocs: true })
  for await (const page of rows) {
    for (const { id, document } of page) {
      const doc = toObject(document)
      if (!id.startsWith('_design/') && fields.every(field => Object.hasOwn(doc, field)) && matches(doc)) found.push(doc)
    }
  }
  const keyOf = doc => fields.map(field => doc[field])
  found.sort((a, b) => direction * (couchCollation.compare(keyOf(a), keyOf(b)) || compareUtf8(a._id, b._id)))
  return found.slice(skip, skip + limit).map(doc => doc._id)
}

module.exports = { RandomFinds, expected }
