'use strict'

const { readPath } = require('../mango/selector/path')
const { keyOf, nameOf, rangeOf } = require('./access')
const { IntervalTree } = require('./interval-tree')

/** @typedef {import('./access').Access} Access */

/**
 * Queries by their shapes. A document is looked up once for each shape, however many queries are of it: its values of the
 * shape's fields are read once, and lead to those queries alone that say the same of them.
 *
 * @template Query
 */
class ShapeTable {
  /** @type {Map<string, Shape<Query>>} */
  #shapes = new Map()

  get shapes () { return this.#shapes.size }

  /** @param {Query} query @param {Access | null} access null: it matches nothing @returns {() => void} takes it out again */
  add (query, access) {
    if (access === null) return () => {}
    const { order, fields, range } = access
    const name = JSON.stringify([order, fields, range])
    let shape = this.#shapes.get(name)
    if (shape === undefined) this.#shapes.set(name, shape = new Shape(access))
    const found = shape
    const remove = found.add(query, access)
    return () => {
      remove()
      if (found.isEmpty) this.#shapes.delete(name)
    }
  }

  /**
   * Adds the queries that a document can match, and no others than those that say the same of the fields of their shape.
   *
   * @param {any} doc
   * @param {Set<Query>} found
   */
  collect (doc, found) {
    const known = { couch: new Map(), pouch: new Map() }
    for (const shape of this.#shapes.values()) shape.collect(doc, found, known[shape.order])
  }
}

/** Has nothing that a query looks for. */
const ABSENT = ''

/**
 * The queries of one shape: a bucket for each combination of values, with its queries, or with intervals that lead to them.
 *
 * @template Query
 */
class Shape {
  /** @type {Map<string, { queries: Set<Query>, tree: IntervalTree<Query> }>} */
  #buckets = new Map()
  #fields
  #range

  /** @param {Access} access of one of them */
  constructor ({ order, fields, range }) {
    this.order = order
    this.#fields = fields
    this.#range = range
  }

  get isEmpty () { return this.#buckets.size === 0 }

  /** @param {Query} query @param {Access} access @returns {() => void} */
  add (query, { keys, intervals }) {
    const removals = combinations(keys).map(name => this.#addTo(name, query, intervals))
    return () => { for (const remove of removals) remove() }
  }

  /** @param {string} name @param {Query} query @param {Access['intervals']} intervals @returns {() => void} */
  #addTo (name, query, intervals) {
    let bucket = this.#buckets.get(name)
    if (bucket === undefined) this.#buckets.set(name, bucket = { queries: new Set(), tree: new IntervalTree() })
    const { queries, tree } = bucket
    const branches = intervals.map(({ low, high }) => tree.add(low, high, query))
    if (this.#range === null) queries.add(query)
    return () => {
      for (const branch of branches) tree.remove(branch)
      queries.delete(query)
      if (queries.size === 0 && tree.isEmpty) this.#buckets.delete(name)
    }
  }

  /** @param {any} doc @param {Set<Query>} found @param {Map<string, string>} known keys of fields that other shapes have asked for */
  collect (doc, found, known) {
    let name = ''
    for (const path of this.#fields) {
      const key = this.#keyIn(doc, path, known)
      if (key === ABSENT) return
      name += prefixed(key)
    }
    const bucket = this.#buckets.get(name)
    if (bucket === undefined) return
    if (this.#range === null) {
      for (const query of bucket.queries) found.add(query)
      return
    }
    const key = this.#keyIn(doc, this.#range, known)
    if (key !== ABSENT) bucket.tree.each(...rangeOf(key, this.order), query => found.add(query))
  }

  /** @param {any} doc @param {string[]} path @param {Map<string, string>} known */
  #keyIn (doc, path, known) {
    const field = nameOf(path)
    let key = known.get(field)
    if (key === undefined) {
      const value = readPath(doc, path)
      known.set(field, key = value === undefined ? ABSENT : keyOf(value, this.order))
    }
    return key
  }
}

/** @param {string} key with its length, so that several are told apart */
function prefixed (key) { return `${key.length}:${key}` }

/** @param {string[][]} keys @returns {string[]} */
function combinations (keys) {
  return keys.reduce((names, some) => names.flatMap(name => some.map(key => name + prefixed(key))), [''])
}

module.exports = { ShapeTable }
