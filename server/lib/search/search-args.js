'use strict'

const { validatePartition } = require('@potoroo/document-store')
const { badRequest, createError } = require('@potoroo/errors')

/**
 * The parameters of a search, as CouchDB has them with Clouseau.
 *
 * @typedef {import('@potoroo/indexes').SearchArgs} SearchArgs
 * @typedef {import('../config/config').Config} Config
 */

/** @param {string} reason */
function refuse (reason) { return createError('QUERY_PARSE_ERROR', { reason }) }

/** @param {string} name @param {string} text */
function jsonOf (name, text) {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw createError('BAD_REQUEST', { reason: `invalid UTF-8 JSON: ${name}`, cause })
  }
}

/** @param {string} name @param {unknown} value */
function booleanOf (name, value) {
  if (value === true || value === 'true') return true
  if (value === false || value === 'false') return false
  throw refuse(`Invalid value for ${name}: ${JSON.stringify(value)}`)
}

/** @param {string} name @param {unknown} value @param {number} least @param {number} most */
function integerOf (name, value, least, most) {
  const number = typeof value === 'string' && /^[-+]?\d+$/.test(value) ? Number(value) : value
  if (!Number.isInteger(number)) throw refuse(`Invalid value for ${name}: ${JSON.stringify(value)}`)
  if (Number(number) < least) throw refuse(least === 0 ? `${name} must be greater than or equal to zero` : `${name} must be greater than zero`)
  if (Number(number) > most) throw refuse(`Value for ${name} is too large, must not exceed ${most}`)
  return Number(number)
}

/** Parameters of a query that are JSON. */
/** Characters of a tag, which stands around each word that was found. */
const LONGEST_TAG = 128

const JSONS = new Set(['sort', 'limit', 'group_sort', 'include_fields', 'counts', 'ranges', 'drilldown', 'highlight_fields', 'highlight_pre_tag', 'highlight_post_tag'])

/**
 * The parameters of a GET, as a body of a POST has them.
 *
 * @param {string} search
 * @returns {Record<string, any>}
 */
function readQuery (search) {
  /** @type {Record<string, any>} */
  const given = Object.create(null)
  /** @type {any[]} */
  const drilldown = []
  for (const [name, text] of new URLSearchParams(search)) {
    if (!JSONS.has(name)) {
      given[name] = text
      continue
    }
    const value = jsonOf(name, text)
    if (name === 'drilldown') drilldown.push(...(Array.isArray(value) && Array.isArray(value[0]) ? value : [value]))
    else given[name] = value
  }
  if (drilldown.length > 0) given.drilldown = drilldown
  return given
}

/**
 * @param {Record<string, any>} given
 * @param {{ partitioned: boolean }} database
 * @param {Config} config
 * @returns {SearchArgs}
 */
function readSearchArgs (given, database, config) {
  const q = given.q ?? given.query
  if (typeof q !== 'string') throw refuse("Query must include a 'q' or 'query' argument")
  const partition = partitionOf(given)
  const setting = database.partitioned ? '_partitions' : ''
  const limit = integerOf('limit', given.limit ?? config.integer('dreyfus', `limit${setting}`), 0, config.integer('dreyfus', `max_limit${setting}`))
  if (given.stale !== undefined && given.stale !== 'ok') throw refuse('stale only available as stale=ok')
  return {
    q,
    limit,
    partition,
    bookmark: given.bookmark,
    sort: given.sort,
    counts: given.counts,
    ranges: given.ranges,
    drilldown: given.drilldown,
    group: groupOf(given, config),
    update: given.stale !== 'ok',
    includeDocs: given.include_docs !== undefined && booleanOf('include_docs', given.include_docs),
    includeFields: given.include_fields,
    highlightFields: given.highlight_fields,
    highlighting: {
      preTag: tagOf('highlight_pre_tag', given, '<em>'),
      postTag: tagOf('highlight_post_tag', given, '</em>'),
      number: integerOf('highlight_number', given.highlight_number ?? 1, 1, 1000),
      size: integerOf('highlight_size', given.highlight_size ?? 100, 1, 1_000_000)
    }
  }
}

/** @param {string} name @param {Record<string, any>} given @param {string} standard */
function tagOf (name, given, standard) {
  const tag = String(given[name] ?? standard)
  if (tag.length > LONGEST_TAG) throw badRequest(`${name} is longer than ${LONGEST_TAG} characters`)
  return tag
}

/** Facets and groups are of whole databases. */
const WHOLE = ['counts', 'drilldown', 'ranges', 'group_field', 'group_by', 'group_sort', 'group_limit']

/** @param {Record<string, any>} given */
function partitionOf (given) {
  const { partition } = given
  if (partition !== undefined && WHOLE.some(name => given[name] !== undefined)) {
    throw badRequest('`partition` and any of `drilldown`, `ranges`, `group_field`, `group_sort`, `group_limit` or `group_by` are incompatible')
  }
  return partition === undefined ? undefined : validatePartition(partition)
}

/** @param {Record<string, any>} given @param {Config} config */
function groupOf (given, config) {
  const field = given.group_field ?? given.group_by
  if (field === undefined) return undefined
  if (typeof field !== 'string') throw refuse(`Invalid value for group_field: ${JSON.stringify(field)}`)
  const limit = integerOf('group_limit', given.group_limit ?? 1, 1, config.integer('dreyfus', 'max_group_limit'))
  return { field: field.replace(/<\w+>$/, ''), limit, sort: given.group_sort }
}

module.exports = { booleanOf, jsonOf, readQuery, readSearchArgs, refuse }
