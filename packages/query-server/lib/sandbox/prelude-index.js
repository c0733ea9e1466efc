'use strict'

/*
 * The functions of text indexes: they call `index` in place of `emit`, and each call is a row, whose key is a list of
 * the arguments. It runs inside QuickJS, after prelude-map.js.
 */
;(function (/** @type {import('./prelude').World} */ global) {
  const { kinds } = global.__prelude
  const { load } = kinds
  const { emit } = global

  /** @param {string} what @param {any} value @param {string[]} types */
  function check (what, value, types) {
    const type = typeof value
    for (let i = 0; i < types.length; i++) if (type === types[i]) return
    throw new TypeError(`${what} must be a ${types.join(' or ')} not ${type}`)
  }

  /** @param {any} name */
  function checkName (name) {
    check('name', name, ['string'])
    if (name[0] !== '_') return
    const error = new Error('name must not start with an underscore')
    error.name = 'ReservedName'
    throw error
  }

  /** @param {any} options */
  function optionsOf (options) {
    if (options) check('options', options, ['object'])
    return options || {}
  }

  /** @type {Record<string, Function>} */
  const dialects = {
    search (/** @type {any} */ name, /** @type {any} */ value, /** @type {any} */ options) {
      checkName(name)
      check('value', value, ['string', 'number', 'boolean'])
      emit([name, value, optionsOf(options)], null)
    },
    nouveau (/** @type {any} */ type, /** @type {any} */ name, /** @type {any} */ value, /** @type {any} */ options) {
      check('type', type, ['string'])
      checkName(name)
      if (type === 'stored') check('value', value, ['number', 'string'])
      else if (type === 'double') check('value', value, ['number'])
      else if (type === 'string' || type === 'text') check('value', value, ['string'])
      else throw new TypeError(`${type} not supported`)
      emit([type, name, value, optionsOf(options)], null)
    }
  }

  /** @param {{ indexes?: string }} program */
  kinds.load = function (program) {
    const { indexes } = program
    if (indexes !== undefined) {
      delete global.emit
      global.index = dialects[indexes]
    }
    return load(program)
  }
})(/** @type {any} */ (globalThis))
