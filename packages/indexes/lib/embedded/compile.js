'use strict'

const vm = require('node:vm')
const { keptBy } = require('./kept')

/**
 * Functions that an application gives its own PouchDB as text, or as functions that PouchDB takes
 * as text. As there, they run in a realm of their own, in strict mode, and see nothing of Node.js
 * and of the application but `emit`, `sum`, `log`, `isArray` and `toJSON`; documents go in as text.
 * A realm serves one function for as long as that is in use, and not one document.
 */
const HARNESS = `'use strict';
(function () {
  const { parse } = JSON
  const { isArray } = Array
  let emitted = []
  const emit = function (key, value) { emitted.push(key, value) }
  const sum = function (values) {
    let result = 0
    for (const value of values) {
      if (typeof value === 'number') {
        if (typeof result === 'number') result += value
        else result[0] += value
      } else if (isArray(value)) {
        if (typeof result === 'number') result = [result]
        value.forEach(function (each, i) {
          if (typeof each !== 'number') throw new TypeError('sum takes numbers and arrays of numbers')
          result[i] = i in result ? result[i] + each : each
        })
      } else {
        throw new TypeError('sum takes numbers and arrays of numbers')
      }
    }
    return result
  }
  const log = function () {}
  const build = function (make) { return make(emit, sum, log, isArray, parse) }
  return {
    map: function (make) {
      const fun = build(make)
      return function (text) {
        emitted = []
        fun(parse(text))
        return emitted
      }
    },
    reduce: function (make) {
      const fun = build(make)
      return function (keys, values, rereduce) { return fun(parse(keys), parse(values), rereduce) }
    }
  }
})()`

const harness = new vm.Script(HARNESS, { filename: 'potoroo:views' })

/** Realms cost half a megabyte each. */
const KEPT = 32

/**
 * @param {'map' | 'reduce'} kind
 * @param {string} source
 * @returns {(...args: any[]) => any} map: takes the document's JSON text and returns what it emitted,
 *   key, value, key, value; reduce: takes the JSON texts of keys and values, and whether it
 *   rereduces. They throw what the function throws, objects of its own realm; what does not compile
 *   throws at each call.
 */
const compile = keptBy(KEPT, build)

/** @param {'map' | 'reduce'} kind @param {string} source */
function build (kind, source) {
  try {
    const realm = vm.createContext(Object.create(null))
    const text = `(function (emit, sum, log, isArray, toJSON) { "use strict"; return (${source.replace(/;\s*$/, '')}\n) })`
    const make = new vm.Script(text, { filename: 'potoroo:function' }).runInContext(realm)
    return harness.runInContext(realm)[kind](make)
  } catch (error) {
    return () => { throw error }
  }
}

module.exports = { compile }
