'use strict'

const { createError } = require('@potoroo/errors')
const { types } = require('../http/query')

/** Parameters of views whose values are JSON. */
const IN_JSON = new Set(['key', 'startkey', 'start_key', 'endkey', 'end_key', 'keys'])

/** `..` that the paths of a rule may have, where rewrites are to be secure: up to the database. */
const MOST_UP = 2

/**
 * A rule of `rewrites`, taken apart.
 *
 * @typedef {object} Rule
 * @property {string} method `*` for all
 * @property {string[]} from
 * @property {string[]} to
 * @property {Record<string, any>} query
 * @property {Record<string, any>} formats
 *
 * A name and a value, the first of those with a name counts.
 * @typedef {[string, any]} Binding
 */

/**
 * @param {any[]} rules
 * @param {boolean} secure
 * @returns {Rule[]}
 * @throws insecure_rewrite_rule; error "invalid_rewrite_target"
 */
function readRules (rules, secure) {
  return rules.filter(rule => rule !== null && typeof rule === 'object' && !Array.isArray(rule)).map(rule => readRule(rule, secure))
}

/** @param {any} rule @param {boolean} secure */
function readRule ({ method = '*', from = '*', to, query = {}, formats = {} }, secure) {
  if (to === undefined) throw createError('FUNCTION_ERROR', { error: 'error', reason: 'invalid_rewrite_target' })
  return { method, from: readPath(from, secure), to: readPath(to, secure), query: Object(query), formats: Object(formats) }
}

/** @param {string} path @param {boolean} secure */
function readPath (path, secure) {
  if (typeof path !== 'string') throw createError('FUNCTION_ERROR', { error: 'unknown_error', reason: 'badarg' })
  const parts = path.split('/').filter(part => part !== '')
  if (secure && parts.filter(part => part === '..').length > MOST_UP) {
    throw createError('FUNCTION_ERROR', { error: 'insecure_rewrite_rule', reason: 'too many ../.. segments' })
  }
  return parts
}

/**
 * Returns where the first rule that matches leads.
 *
 * @param {Rule[]} rules
 * @param {{ method: string, parts: string[], search: string }} request `parts` of the path behind `_rewrite`, decoded
 * @returns {string | null} path and query, relative to the design document
 * @see https://docs.couchdb.org/en/stable/api/ddoc/rewrites.html
 */
function rewrite (rules, { method, parts, search }) {
  const query = queryOf(search)
  for (const rule of rules) {
    if (rule.method !== '*' && rule.method !== method) continue
    const match = matchPath(rule.from, parts)
    if (match !== null) return target(rule, match, query)
  }
  return null
}

/** @param {string} search @returns {Binding[]} */
function queryOf (search) {
  return search === '' ? [] : [...new URLSearchParams(search)].map(([name, text]) => [name, IN_JSON.has(name) ? types.json(text, name) : text])
}

/** @param {string[]} from @param {string[]} parts @returns {{ bindings: Binding[], rest: string[] } | null} */
function matchPath (from, parts) {
  /** @type {Binding[]} */
  const bindings = []
  for (let i = 0; i < from.length; i++) {
    if (from[i] === '*' && i === from.length - 1) return { bindings, rest: parts.slice(i) }
    if (i >= parts.length) return null
    if (from[i].startsWith(':')) bindings.unshift([from[i].slice(1), parts[i]])
    else if (from[i] !== parts[i]) return null
  }
  return from.length === parts.length ? { bindings, rest: [] } : null
}

/** @param {Rule} rule @param {{ bindings: Binding[], rest: string[] }} match @param {Binding[]} given */
function target ({ to, query, formats }, { bindings, rest }, given) {
  const known = [...bindings, ...given]
  /** @type {Binding[]} */
  const own = Object.entries(query).map(([name, value]) => [name, filled(value, known, formats)])
  const all = [...known.filter(([name]) => !own.some(each => each[0] === name)), ...own.reverse()]
  const path = pathOf(to, all, rest).map(part => encodeURIComponent(part.toWellFormed())).join('/')
  // Later names come first, as they do in CouchDB.
  const search = new URLSearchParams()
  for (const [name, value] of all.reverse()) if (name !== '*') search.append(name, textOf(name, value))
  return search.size === 0 ? path : `${path}?${search}`
}

/** Everything behind a `*` is left out. @param {string[]} to @param {Binding[]} bindings @param {string[]} rest */
function pathOf (to, bindings, rest) {
  const path = []
  for (const part of to) {
    if (part === '*') return [...path, ...rest]
    path.push(part.startsWith(':') ? asText(valueOf(part.slice(1), bindings, 'undefined')) : part)
  }
  return path
}

/**
 * Puts values in the place of `:name` and `*`; one that there is not stays as it is.
 *
 * @param {any} value
 * @param {Binding[]} bindings
 * @param {Record<string, any>} formats
 */
function filled (value, bindings, formats) {
  if (Array.isArray(value)) return value.map(each => typeof each === 'string' && each.startsWith(':') ? formatted(each.slice(1), bindings, each, formats) : each)
  if (value === '*') return formatted('*', bindings, value, formats)
  return typeof value === 'string' && value.startsWith(':') ? formatted(value.slice(1), bindings, value, formats) : value
}

/** @param {string} name @param {Binding[]} bindings @param {any} otherwise @param {Record<string, any>} formats */
function formatted (name, bindings, otherwise, formats) {
  const value = valueOf(name, bindings, otherwise)
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined
  if (format === 'int' && typeof value === 'string' && /^[+-]?\d{1,15}$/.test(value)) return Number(value)
  if (format === 'bool' && typeof value === 'string' && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === 'true'
  return value
}

/** @param {string} name @param {Binding[]} bindings @param {any} otherwise */
function valueOf (name, bindings, otherwise) {
  const found = bindings.find(each => each[0] === name)
  return found === undefined ? otherwise : found[1]
}

/** @param {string} name @param {any} value */
function textOf (name, value) { return IN_JSON.has(name) ? JSON.stringify(value) : asText(value) }

/** @param {any} value */
function asText (value) { return typeof value === 'string' ? value : JSON.stringify(value) }

module.exports = { readRules, rewrite }
