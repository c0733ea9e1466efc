'use strict'

const { badRequest } = require('@potoroo/errors')
const { buildStandard, fieldTypes, numberReader, parseQuery, readStandard } = require('@potoroo/search')
const { checkCount, readSorts } = require('./parameters')

/**
 * The two ways in which design documents define text indexes and clients ask them: `indexes` with `index (name, value, options)` and `_search`, as CouchDB
 * has them with Clouseau, and `nouveau` with `index (type, name, value, options)` and `_nouveau`. The query of `_search` is Lucene's classic one, and
 * numbers are told from words by how they look. In that of `_nouveau` the types of fields tell.
 *
 * @typedef {'search' | 'nouveau'} Dialect
 *
 * @typedef {object} Face
 * @property {string} member of design documents
 * @property {'clouseau' | 'nouveau'} analyzers
 * @property {(index: any) => any} analyzerOf
 * @property {(args: SearchArgs, analyze: Analyzer) => Ask} ask how it reads a query, and what to sort by
 *
 * @typedef {import('./run-search').SearchArgs} SearchArgs
 * @typedef {import('@potoroo/search').Sort} Sort
 * @typedef {import('@potoroo/search').IndexReader} IndexReader
 * @typedef {import('@potoroo/search').Analyzer} Analyzer
 * @typedef {{ query: any, sort: Sort[] | undefined }} Asked sort: by relevance, if there is none
 * @typedef {(reader: IndexReader) => Promise<Asked>} Ask
 */

const DEFAULT_FIELD = 'default'

/** @type {Record<Dialect, Face>} */
const dialects = {
  search: {
    member: 'indexes',
    analyzers: 'clouseau',
    analyzerOf: ({ analyzer = 'standard' }) => analyzer,
    ask ({ q, sort }, analyze) {
      const asked = { query: parseQuery(q, { defaultField: DEFAULT_FIELD, analyze }), sort: readSorts(sort) }
      return async () => asked
    }
  },

  nouveau: {
    member: 'nouveau',
    analyzers: 'nouveau',
    analyzerOf: ({ default_analyzer: standard = 'standard', field_analyzers: fields = {} }) => ({ name: 'perfield', default: standard, fields }),
    ask ({ q, sort, counts, ranges, locale }, analyze) {
      const { syntax, fields } = readStandard(q, DEFAULT_FIELD)
      const sorts = readNouveauSorts(sort)
      const named = [...fields, ...sorts.map(({ field }) => field), ...namesIn(counts), ...Object.keys(ranges ?? {})]
      return async reader => {
        const types = await fieldTypes(reader, named)
        const numbersOf = (/** @type {string} */ field) => types.get(field) === 'double' ? numberReader(locale) : undefined
        const asked = { query: buildStandard(q, syntax, { analyze, numbersOf }), sort: sorts.map(each => sortOf(each, types)) }
        namesIn(counts).forEach(name => checkCounted(name, types.get(name)))
        return asked
      }
    }
  }
}

/** @type {Dialect[]} */
const DIALECTS = ['search', 'nouveau']

/** @param {unknown} names @returns {string[]} */
function namesIn (names) { return Array.isArray(names) ? names : [] }

/** Strings alone are counted, as in Nouveau; undefined: no document has the field. @param {string} name @param {string | undefined} type */
function checkCounted (name, type) {
  if (type === undefined || type === 'string') return
  throw badRequest(`unexpected docvalues type ${type === 'double' ? 'SORTED_NUMERIC' : 'NONE'} for field '${name}' (expected one of [SORTED, SORTED_SET]). Re-index with correct docvalues type.`)
}

/** Earlier versions of CouchDB wanted the type. */
const SORT = /^([-+])?([.\w]+)(?:<(?:string|double|number)>)?$/

/** @param {unknown} sort @returns {Array<{ field: string, descending: boolean }>} */
function readNouveauSorts (sort) {
  const given = sort === undefined || sort === null ? ['-<score>'] : [sort].flat()
  checkCount(given.length, 'sort')
  // Hits that are alike come by id.
  const texts = ['_id', '-_id'].includes(/** @type {string} */ (given.at(-1))) ? given : [...given, '_id']
  return texts.map(text => {
    // Numbers of scores and fields rise, unless there is a sign: `<score>` begins with the worst.
    if (text === '<score>' || text === '-<score>') return { field: '<score>', descending: text.startsWith('-') }
    const found = SORT.exec(String(text))
    if (found === null) throw badRequest(`${text} is not a valid sort parameter`)
    return { field: found[2], descending: found[1] === '-' }
  })
}

/**
 * A field that no document has leaves all alike. The least of several values counts, either way, and a document without a number has 0, as in Lucene.
 *
 * @param {{ field: string, descending: boolean }} sort
 * @param {Map<string, string>} types
 * @returns {Sort}
 */
function sortOf ({ field, descending }, types) {
  if (field === '<score>') return { by: 'score', descending }
  if (field === '_id') return { by: 'id', descending }
  const type = types.get(field) ?? 'string'
  if (type !== 'string' && type !== 'double') throw badRequest(`can't sort on field ${field}`)
  return type === 'double' ? { by: 'number', field, descending, least: true, missing: 0 } : { by: 'string', field, descending, least: true }
}

module.exports = { DIALECTS, dialects }
