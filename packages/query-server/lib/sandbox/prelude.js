/* global InternalError -- this file runs inside QuickJS, not in Node.js. */
'use strict'

/*
 * The world that design documents' functions find around them, and the loops that run them over a batch.
 * The host loads a program once and calls `__run(kind, json)` with batches; text goes in and text
 * comes out, because a crossing costs more than the work. The text that comes out is
 *
 *   JSON array of what was logged, or nothing, '\n', '+' or '-', JSON of the answer or of the failure
 *
 * Everything is taken from the global object before a stranger's code can change it. A function that changes
 * a prototype spoils the answers to its own design document, and the host takes those for text.
 */
;(function (global) {
  const { parse, stringify } = JSON
  const { isArray } = Array
  const { create, freeze } = Object
  const { ownKeys } = Reflect
  const Internal = typeof InternalError === 'undefined' ? RangeError : InternalError
  const evaluate = global.eval

  /** Log lines that one call may leave, and how long each may be. */
  const MOST_LINES = 50
  const LONGEST_LINE = 1000
  /** Places at which a last function without a name may begin. */
  const MOST_STARTS = 20
  const starts = /\bfunction\s*\(/g

  let functions = []
  let library = {}
  let sealed = false
  let logged = []

  freeze(JSON)
  global.isArray = isArray
  global.toJSON = stringify
  global.log = function log (message) { tell('info', typeof message === 'string' ? message : stringify(plain(message))) }
  global.sum = function sum (values) {
    let total = 0
    for (const i in values) total += values[i]
    return total
  }

  function tell (level, message) {
    if (logged.length < MOST_LINES) logged[logged.length] = [level, `${message}`.slice(0, LONGEST_LINE)]
  }

  /** Failures are lists, as CouchDB's protocol has them: a kind, an error, a reason. */
  function raise (failure) { throw failure }

  /** Errors have no members that JSON would show. */
  function plain (value) {
    if (typeof value !== 'object' || value === null || !('stack' in value && 'name' in value && 'message' in value)) return value
    return { error: value.name, message: value.message }
  }

  /** CommonJS over the design document. Modules are strings in it; their ids are the paths to them. */
  function requireFrom (container, cache) {
    return function require (name) {
      const { id, parent, current } = find(`${name}`.split('/'), container)
      if (id in cache) return cache[id]
      // Modules that require each other see this.
      cache[id] = {}
      const module = { current, parent, id, exports: {} }
      try {
        evaluate(`(function (module, exports, require) { ${current}\n })`).call(global, module, module.exports, requireFrom(parent, cache))
      } catch (error) {
        if (error instanceof Internal) throw error
        raise(['error', 'compilation_error', `Module require('${name}') raised error ${error}`])
      }
      cache[id] = module.exports
      return module.exports
    }
  }

  /** A place in the design document is `{ current, parent, id }`; names without a dot begin at its root. */
  function find (names, container) {
    let at = names[0] === '.' || names[0] === '..' ? container : { current: library, parent: undefined, id: undefined }
    for (const name of names) {
      if (name === '.' || name === '..') {
        if (at === undefined || (name === '..' && at.parent === undefined)) raise(['error', 'invalid_require_path', 'Object has no parent ' + stringify(at && at.current)])
        if (name === '..') at = at.parent
      } else {
        const { current, id } = at
        const inside = current === null || current === undefined ? undefined : current[name]
        if (inside === undefined) raise(['error', 'invalid_require_path', `Object has no property "${name}". ${stringify(current)}`])
        at = { current: inside, parent: at, id: id === undefined ? name : `${id}/${name}` }
      }
    }
    if (typeof at.current !== 'string') raise(['error', 'invalid_require_path', `Must require a JavaScript string, not: ${typeof at.current}`])
    return at
  }

  function compile (source, cache) {
    if (source === '') raise(['error', 'not_found', 'missing function'])
    global.require = requireFrom(undefined, cache)
    const value = evaluateFunction(source)
    if (typeof value !== 'function') raise(['error', 'compilation_error', `Expression does not eval to a function. (${source})`])
    return value
  }

  /** An expression; or statements, of which the last is a function, with a name or without. */
  function evaluateFunction (source) {
    const bare = withoutEnd(source)
    for (const text of [`(${source}\n)`, `(${bare}\n)`, source]) {
      try {
        return evaluate(text)
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw uncompiled(error, source)
      }
    }
    starts.lastIndex = 0
    for (let i = 0, start; i < MOST_STARTS && (start = starts.exec(bare)) !== null; i++) {
      try {
        return evaluate(`${bare.slice(0, start.index)}\n;(${bare.slice(start.index)}\n)`)
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw uncompiled(error, source)
      }
    }
    return explain(source)
  }

  /** CouchDB's engine takes functions without a name as statements: what it says is what ours says of a name. */
  function explain (source) {
    try {
      return evaluate(source.replace(starts, 'function _ ('))
    } catch (error) {
      throw uncompiled(error, source)
    }
  }

  /** Memory that ends is no matter of the source. */
  function uncompiled (error, source) {
    return error instanceof Internal && !isOfStack(error) ? error : ['error', 'compilation_error', `${error} (${source})`]
  }

  /** Without the semicolons and comments behind a function. */
  function withoutEnd (source) {
    let text = source
    for (;;) {
      const shorter = text.replace(/[\s;]+$/, '').replace(/\/\*(?:(?!\*\/)[^])*\*\/$/, '').replace(/(^|[;}])[ \t]*\/\/.*$/, '$1')
      if (shorter === text) return text
      text = shorter
    }
  }

  function isOfStack ({ message }) { return `${message}`.indexOf('stack') !== -1 }

  function raiseFatal (error) {
    if (error === 'fatal_error') raise(['error', 'map_runtime_error', "function raised 'fatal_error'"])
    if (isArray(error) && error[0] === 'fatal') throw error
  }

  /** A function that throws reduces to null. */
  function reduceOne (reduce, keys, values, rereduce) {
    try {
      return reduce(keys, values, rereduce)
    } catch (error) {
      if (error instanceof Internal) throw error
      raiseFatal(error)
      tell('warning', `function raised exception ${error}`)
      return null
    }
  }

  /** Returns what a validation function has against a document. */
  function validateOne (args) {
    try {
      functions[0].apply(library, args)
      return null
    } catch (error) {
      if (error instanceof Internal) throw error
      return refusalOf(error) ?? describe(error)
    }
  }

  /** The reason of a refusal may be any JSON. */
  function refusalOf (error) {
    if (error === null || typeof error !== 'object' || error instanceof Error || isArray(error)) return undefined
    for (const name of ['forbidden', 'unauthorized']) if (error[name] !== undefined) return { error: name, reason: error[name] }
  }

  const kinds = {
    load ({ sources, library: found, sealed: seals }) {
      library = found
      sealed = seals
      const cache = create(null)
      functions = sources.map(source => compile(source, cache))
      return 'true'
    },
    filter: ({ docs, req }) => stringify(docs.map(doc => !!functions[0].call(library, doc, req))),
    validate: calls => stringify(calls.map(validateOne)),
    /** Groups of `[keys, values]`, or of `[null, values]` with rereduce. */
    reduce: ({ groups, rereduce }) => stringify(groups.map(([keys, values]) => functions.map(reduce => reduceOne(reduce, keys, values, rereduce))))
  }

  // For the preludes that follow, which take it out of sight.
  global.__prelude = { kinds, raise, raiseFatal, describe, tell, plain, parseDeep, Internal, isOfStack, functionOf: () => functions[0], functionsOf: () => functions, libraryOf: () => library, isSealed: () => sealed }

  global.__run = function run (kind, json) {
    logged = []
    let answer
    try {
      answer = '+' + kinds[kind](parseDeep(json))
    } catch (error) {
      if (error instanceof Internal) throw error
      answer = '-' + stringify(describe(error))
    }
    return (logged.length === 0 ? '' : stringify(logged)) + '\n' + answer
  }

  /** Parses what the host sends: only its depth can be wrong with it. */
  function parseDeep (json) {
    try {
      return parse(json)
    } catch (error) {
      throw error instanceof Internal ? error : new Internal('stack overflow')
    }
  }

  function describe (error) {
    if (isArray(error)) return { error: `${error[1] ?? error[0]}`, reason: textOf(error[2] ?? error[1]) }
    if (error instanceof Error) return { error: `${error.name}`, reason: `${error.message}` }
    if (error !== null && typeof error === 'object') {
      if (error.forbidden !== undefined) return { error: 'forbidden', reason: textOf(error.forbidden) }
      if (error.unauthorized !== undefined) return { error: 'unauthorized', reason: textOf(error.unauthorized) }
      if (error.error && error.reason) return { error: `${error.error}`, reason: textOf(error.reason) }
      const names = ownKeys(error)
      return { error: 'unknown_error', reason: names.length === 1 ? textOf(error[names[0]]) : stringify(error) }
    }
    return { error: 'unknown_error', reason: `${error}` }
  }

  function textOf (value) { return typeof value === 'object' ? stringify(value) : `${value}` }
})(globalThis)
