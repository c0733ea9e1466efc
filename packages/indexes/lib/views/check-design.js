'use strict'

const { couchCollation } = require('@potoroo/collation')
const { createError } = require('@potoroo/errors')
const { compileRule } = require('../schema/rule')
const { typeOf } = require('../mango/selector/type-of')
const { builtIn } = require('../reduces/built-in')
const { ReduceLimit } = require('../reduces/reduce-limit')
const { textIndexNames } = require('../searches/definition')
const { DIALECTS, dialects } = require('../searches/dialects')
const { libraryOf } = require('./mapper')

/**
 * @typedef {import('@potoroo/query-server').QueryServer} QueryServer
 * @typedef {{ name: string, kind: 'map' | 'reduce' | 'index', source: string }} Written
 * @typedef {Written & { map: string, reduce?: string }} ViewFunction
 * @typedef {Omit<import('@potoroo/query-server').Functions, 'sources'>} Program
 */

/** In a path: any member. */
const ANY = Symbol('any')

/**
 * The members of a design document that must have certain types, in the order in which CouchDB looks.
 * @type {Path[]}
 * @typedef {Array<Array<string | symbol>>} Path each step a member and its types
 */
const FIELDS = [
  [['filters', 'object'], [ANY, 'string', 'object']],
  [['language', 'string']],
  [['lists', 'object'], [ANY, 'string', 'object']],
  [['options', 'object']],
  [['options', 'object'], ['access', 'boolean']],
  [['options', 'object'], ['include_design', 'boolean']],
  [['options', 'object'], ['local_seq', 'boolean']],
  [['options', 'object'], ['partitioned', 'boolean']],
  [['rewrites', 'array', 'string']],
  [['shows', 'object'], [ANY, 'string', 'object']],
  [['updates', 'object'], [ANY, 'string', 'object']],
  [['validate_doc_update', 'string']],
  [['validate_schema', 'object']],
  [['views', 'object'], ['lib', 'object']]
]

/** Languages whose functions are compiled when they are written. */
const COMPILED = new Set(['javascript', 'coffeescript'])

/** Reduces are not run here: they only have to be there. */
const CONTEXT = { collation: couchCollation, limit: new ReduceLimit() }

/**
 * Refuses design documents that CouchDB refuses when they are written: with members of the wrong types,
 * views without a map function, reduces that there are not, and functions that cannot be compiled. Functions of text indexes are
 * refused alike, which CouchDB takes: so replications bring them.
 *
 * @param {any} ddoc
 * @param {import('@potoroo/query-server').QueryServer} queryServer
 * @param {{ partitioned?: boolean }} [database]
 * @param {{ newEdits?: boolean }} [options] newEdits: false of one that is replicated
 * @throws invalid_design_doc, compilation_error, not_found
 * @see https://docs.couchdb.org/en/stable/api/ddoc/common.html#put--db-_design-ddoc
 */
async function checkDesign (ddoc, queryServer, { partitioned = false } = {}, { newEdits = true } = {}) {
  const map = ddoc.language === 'query' ? 'object' : 'string'
  const views = [[['views', 'object'], [ANY, 'object'], ['map', map]], [['views', 'object'], [ANY, 'object'], ['reduce', 'string']]]
  for (const path of [...FIELDS, ...views]) checkType(ddoc, path, [])
  const names = Object.keys(ddoc.views ?? {}).filter(name => name !== 'lib')
  for (const name of names) {
    if (ddoc.views[name].map === undefined) throw invalid(`View \`${name}\` must contain map function`)
  }
  compileRule(ddoc)
  if (ddoc.options?.partitioned === true && !partitioned) throw invalid('partitioned option cannot be true in a non-partitioned database.')
  if (!COMPILED.has(ddoc.language ?? 'javascript')) return
  await checkFunctions(ddoc, names, queryServer)
  if (newEdits) for (const dialect of DIALECTS) await checkIndexes(ddoc, dialect, queryServer)
}

/**
 * @param {any} value
 * @param {Path} path
 * @param {string[]} place where the value is
 */
function checkType (value, [step, ...rest], place) {
  const [name, ...types] = step
  for (const member of typeof name === 'string' ? [name] : Object.keys(value)) {
    if (!Object.hasOwn(value, member)) continue
    const here = [...place, member]
    if (!types.includes(typeOf(value[member]))) throw invalid(`\`${here.join('.')}\` field must have ${types.join(' or ')} type`)
    if (rest.length > 0) checkType(value[member], rest, here)
  }
}

/**
 * In the order of the map functions' text, in which CouchDB keeps views.
 *
 * @param {any} ddoc
 * @param {string[]} names
 * @param {QueryServer} queryServer
 */
async function checkFunctions ({ views, ...ddoc }, names, queryServer) {
  const program = { library: libraryOf({ ...ddoc, views }), language: ddoc.language }
  const functions = names.flatMap(name => functionsOf(name, views[name])).sort((a, b) => Buffer.compare(Buffer.from(a.map), Buffer.from(b.map)))
  for (const { reduce } of functions) if (reduce !== undefined) builtIn(reduce, CONTEXT)
  const written = functions.filter(({ kind, source }) => kind === 'map' || !source.startsWith('_'))
  await compileAll(written, program, queryServer)
}

/** @param {any} ddoc @param {import('../searches/dialects').Dialect} dialect @param {QueryServer} queryServer */
async function checkIndexes (ddoc, dialect, queryServer) {
  const indexes = ddoc[dialects[dialect].member]
  const written = textIndexNames(ddoc, dialect).map(name => ({ name, kind: /** @type {const} */ ('index'), source: indexes[name].index }))
  await compileAll(written, { language: ddoc.language, indexes: dialect }, queryServer)
}

/** @param {Written[]} written @param {Program} program @param {QueryServer} queryServer */
async function compileAll (written, program, queryServer) {
  if (written.length === 0 || await compiles(written, program, queryServer)) return
  for (const each of written) await compile(each, program, queryServer)
}

/**
 * @param {string} name
 * @param {{ map: string, reduce?: string }} view
 * @returns {ViewFunction[]}
 */
function functionsOf (name, { map, reduce }) {
  /** @type {ViewFunction[]} */
  const functions = [{ name, kind: 'map', source: map, map }]
  return reduce === undefined ? functions : [...functions, { name, kind: 'reduce', source: reduce, map, reduce }]
}

/**
 * All of them at once, which is what there is to do for most.
 *
 * @param {Written[]} functions
 * @param {Program} program
 * @param {QueryServer} queryServer
 */
async function compiles (functions, program, queryServer) {
  try {
    await queryServer.compile({ ...program, sources: functions.map(({ source }) => source) })
    return true
  } catch {
    return false
  }
}

/** @param {Written} written @param {Program} program @param {QueryServer} queryServer */
async function compile ({ name, kind, source }, program, queryServer) {
  if (source === '') throw createError('MISSING', { reason: 'missing function' })
  try {
    await queryServer.compile({ ...program, sources: [source] })
  } catch (cause) {
    if (cause.error !== 'compilation_error') throw cause
    const fault = cause.reason.replace(/^Compilation of the function failed: /, '')
    throw createError('COMPILATION_ERROR', { reason: `Compilation of the ${kind} function in the '${name}' ${kind === 'index' ? 'index' : 'view'} failed: ${fault}`, cause })
  }
}

/** @param {string} reason */
function invalid (reason) { return createError('BAD_REQUEST', { error: 'invalid_design_doc', reason }) }

module.exports = { checkDesign }
