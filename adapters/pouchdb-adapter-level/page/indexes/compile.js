'use strict'

const { keptBy } = require('@potoroo/indexes/lib/embedded/kept')
const { sum } = require('@potoroo/indexes/lib/embedded/sum')

/**
 * The same as @potoroo/indexes, lib/embedded/compile.js. A page has no realms without a frame, so functions run in the
 * page's, as with PouchDB's own adapters.
 */

const MAKE = '"use strict"; return ('

/** @type {any[]} */
let emitted = []

/** @param {any} key @param {any} value */
function emit (key, value) { emitted.push(key, value) }

const compile = keptBy(128, build)

/** @param {'map' | 'reduce'} kind @param {string} source */
function build (kind, source) {
  try {
    // eslint-disable-next-line no-new-func
    const make = new Function('emit', 'sum', 'log', 'isArray', 'toJSON', `${MAKE}${source.replace(/;\s*$/, '')}\n)`)
    const fun = make(emit, sum, () => {}, Array.isArray, JSON.parse)
    return kind === 'map' ? mapBy(fun) : reduceBy(fun)
  } catch (error) {
    return () => { throw error }
  }
}

/** @param {(doc: any) => void} fun */
function mapBy (fun) {
  return (/** @type {string} */ text) => {
    emitted = []
    fun(JSON.parse(text))
    return emitted
  }
}

/** @param {(keys: any, values: any, rereduce: boolean) => any} fun */
function reduceBy (fun) {
  return (/** @type {string} */ keys, /** @type {string} */ values, /** @type {boolean} */ rereduce) => fun(JSON.parse(keys), JSON.parse(values), rereduce)
}

module.exports = { compile }
