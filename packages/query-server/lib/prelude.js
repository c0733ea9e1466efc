/* global InternalError -- this file runs inside QuickJS, not in Node.js. */
'use strict'

/*
 * What design documents' functions find around them, and the loop that runs them over a batch.
 * The host loads a program once, `(sources, library)`, and calls `run(kind, json)` with batches;
 * text goes in and text comes out, because a crossing costs more than the work.
 *
 * Everything is taken from the global object before a stranger's code can change it.
 */
;(function (global) {
  const { parse, stringify } = JSON
  const { isArray } = Array
  const { freeze, keys, create } = Object
  const Internal = typeof InternalError === 'undefined' ? RangeError : InternalError
  const evaluate = global.eval

  let functions = []
  let library = {}
  let emitted = []

  global.emit = function emit (key, value) { emitted.push([key, value]) }
  global.isArray = isArray
  global.toJSON = stringify
  global.log = function log () {}
  global.sum = function sum (values) {
    let total = 0
    for (const value of values) total += value
    return total
  }

  /** CommonJS over the design document: `require('views/lib/name')`, `./` and `../`. */
  function requireFrom (folder, cache) {
    return function require (name) {
      const path = resolve(folder, name)
      if (cache[path] !== undefined) return cache[path].exports
      let source = library
      for (const part of path.split('/')) source = source === null || typeof source !== 'object' ? undefined : source[part]
      if (typeof source !== 'string') throw new Error(`module not found: ${name}`)
      const module = { id: path, exports: {} }
      cache[path] = module
      evaluate(`(function (module, exports, require) {${source}\n})`)(module, module.exports, requireFrom(path.split('/').slice(0, -1), cache))
      return module.exports
    }
  }

  function resolve (folder, name) {
    const parts = name.startsWith('.') ? [...folder] : []
    for (const part of name.split('/')) {
      if (part === '..') parts.pop()
      else if (part !== '.' && part !== '') parts.push(part)
    }
    return parts.join('/')
  }

  function compile (source) {
    global.require = requireFrom([], create(null))
    let value
    try {
      value = evaluate(`(${source.replace(/;\s*$/, '')}\n)`)
    } catch (error) {
      if (error instanceof Internal) throw error
      fail('compilation_error', `Compilation of the function failed: ${error} (${source})`)
    }
    if (typeof value !== 'function') fail('compilation_error', `Expression does not eval to a function. (${source})`)
    return value
  }

  function fail (error, reason) {
    const failure = new Error(reason)
    failure.couch = { error, reason }
    throw failure
  }

  /** So that one function cannot change what the next one sees. */
  function freezeAll (value) {
    if (value === null || typeof value !== 'object') return value
    for (const key of keys(value)) freezeAll(value[key])
    return freeze(value)
  }

  /** Rows of each function for one document; a function that throws emits nothing for it. */
  function mapOne (doc) {
    const rows = []
    for (const map of functions) {
      emitted = []
      try {
        map(doc)
      } catch (error) {
        // A stack that ends is a fault of this document; memory that ends is one of the program.
        if (error instanceof Internal && !`${error.message}`.includes('stack')) throw error
        if (isArray(error) && error[0] === 'fatal') fail(`${error[1]}`, `${error[2]}`)
        emitted = []
      }
      rows.push(emitted)
    }
    return rows
  }

  /** A function that throws reduces to null. */
  function reduceOne (reduce, keys, values, rereduce) {
    try {
      return reduce(keys, values, rereduce)
    } catch (error) {
      if (error instanceof Internal) throw error
      if (isArray(error) && error[0] === 'fatal') fail(`${error[1]}`, `${error[2]}`)
      return null
    }
  }

  /** What a validation function has against a document. */
  function validateOne (args) {
    try {
      functions[0](...args)
      return null
    } catch (error) {
      if (error instanceof Internal) throw error
      return describe(error)
    }
  }

  const kinds = {
    load (request) {
      library = request.library
      functions = request.sources.map(compile)
      return true
    },
    map: docs => docs.map(doc => mapOne(freezeAll(doc))),
    /** A map function as a filter: what emits, passes. */
    emits: docs => docs.map(doc => mapOne(freezeAll(doc)).some(rows => rows.length > 0)),
    filter: ({ docs, req }) => docs.map(doc => !!functions[0](freezeAll(doc), req)),
    validate: calls => calls.map(args => validateOne(freezeAll(args))),
    /** Groups of `[keys, values]`, or of `[null, values]` with rereduce. */
    reduce: ({ groups, rereduce }) => groups.map(([keys, values]) => functions.map(reduce => reduceOne(reduce, keys, values, rereduce)))
  }

  global.__run = function run (kind, json) {
    try {
      return stringify({ ok: kinds[kind](parse(json)) })
    } catch (error) {
      if (error instanceof Internal) throw error
      return stringify({ failure: describe(error) })
    }
  }

  function describe (error) {
    if (error !== null && typeof error === 'object' && error.couch) return error.couch
    if (isArray(error)) return { error: `${error[1] ?? error[0]}`, reason: `${error[2] ?? error[1]}` }
    if (error instanceof Error) return { error: error.name, reason: error.message }
    if (error !== null && typeof error === 'object') {
      if (error.forbidden !== undefined) return { error: 'forbidden', reason: `${error.forbidden}` }
      if (error.unauthorized !== undefined) return { error: 'unauthorized', reason: `${error.unauthorized}` }
      return { error: 'unknown_error', reason: stringify(error) }
    }
    return { error: 'unknown_error', reason: `${error}` }
  }
})(globalThis)
