'use strict'

const { compareUtf8 } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { readView, readViewQueries } = require('../documents/view-query')
const { jsonType } = require('../http/response')
const { ResponseWriter } = require('../http/response-writer')
const { SELF } = require('./ask')
const { pathOf } = require('./design-copies')
const { LinkedDocuments } = require('../merging/linked-documents')
const { Merge } = require('../merging/merge')
const { readRow } = require('../merging/row-text')
const { RowStream } = require('../merging/row-stream')
const { formatVector, numberOf } = require('./sequence')
const { groupsOf } = require('../merging/merged-groups')

/** @typedef {import('./coordinator').Coordinator} Coordinator */
/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {import('../documents/view-query').ViewArgs} ViewArgs */
/** @typedef {import('@potoroo/indexes').MergedView} MergedView */
/** @typedef {import('../merging/row-text').Row} Row */

/** @param {Coordinator} coordinator @param {PotorooResponse} res */
async function view (coordinator, res) {
  const { req } = coordinator
  const args = readView(req)
  if (args.partition !== undefined && coordinator.database.partitioned) {
    return coordinator.pass(coordinator.shardOf(`${args.partition}:`), req.body === undefined ? {} : { body: Buffer.from(JSON.stringify(req.body)) })
  }
  const merged = await mergedViewOf(coordinator)
  requireKeys(args)
  const out = new ResponseWriter(res, { 'Content-Type': jsonType(req), 'Cache-Control': 'must-revalidate' })
  await write(coordinator, out, merged, args)
  out.push('\n')
  out.end()
}

/** @param {Coordinator} coordinator @param {PotorooResponse} res */
async function queries (coordinator, res) {
  const { req } = coordinator
  const several = await readViewQueries(req)
  if (several.some(({ partition }) => partition !== undefined)) throw createError('NOT_IMPLEMENTED', { reason: 'Several queries of partitions are not implemented for databases of several shards' })
  const merged = await mergedViewOf(coordinator)
  several.forEach(requireKeys)
  // All are checked before there is an answer to any.
  for (const args of several) await (await coordinator.askOrFail(0, { method: 'POST', path: pathOfView(req), body: JSON.stringify({ ...args, limit: 0, skip: 0, include_docs: undefined }) })).bytes()
  const out = new ResponseWriter(res, { 'Content-Type': jsonType(req), 'Cache-Control': 'must-revalidate' })
  out.push('{"results":[\r\n')
  for (const [i, args] of several.entries()) {
    if (i > 0) out.push(',\r\n')
    await write(coordinator, out, merged, args)
    if (out.closed) return
    await out.pause()
  }
  out.push('\r\n]}\n')
  out.end()
}

/** @param {PotorooRequest} req */
function pathOfView ({ params: { ddoc, view } }) { return `${pathOf(ddoc)}/_view/${encodeURIComponent(view)}` }

/** The order of a view's rows, and its reduction. @param {Coordinator} coordinator @returns {Promise<MergedView>} */
async function mergedViewOf (coordinator) {
  const { database, req, service } = coordinator
  const ddoc = await (await coordinator.askOrFail(0, { path: pathOf(req.params.ddoc), user: SELF })).json()
  const merged = service.views.merged(database, ddoc, req.params.view)
  if (merged.hasDesigns) throw createError('NOT_IMPLEMENTED', { reason: '`include_design` is not implemented for databases of several shards' })
  if (merged.partitioned) throw createError('QUERY_PARSE_ERROR', { reason: '`partition` parameter is mandatory for queries to this view.' })
  return merged
}

/**
 * @param {Coordinator} coordinator
 * @param {ResponseWriter} out
 * @param {MergedView} merged
 * @param {ViewArgs} args
 */
async function write (coordinator, out, merged, args) {
  const reduces = merged.reduces && args.reduce !== false
  const parts = hasKeys(args) ? inParts(merged, args, reduces) : [args]
  const { skip = 0, limit = Infinity } = args
  const place = { skip, limit, separator: '\r\n', head: '' }
  for (const [i, part] of parts.entries()) {
    if (i > 0 && (out.closed || place.limit === 0)) break
    await writePart(coordinator, out, merged, part, reduces, place)
  }
  if (!out.closed) out.push(place.separator === '\r\n' ? '\r\n\r\n]}' : '\r\n]}')
}

/** Refuses what is no list as a query does: a body is refused in other words. @param {ViewArgs} args */
function requireKeys ({ keys }) {
  if (keys !== undefined && !Array.isArray(keys)) throw createError('QUERY_PARSE_ERROR', { reason: '`keys` must be an array of strings.' })
}

/** @param {ViewArgs} args */
function hasKeys ({ keys }) { return keys?.length > 0 }

/** @param {MergedView['collation']} collation @param {any} key */
function encoded (collation, key) {
  try {
    return collation.encode(key)
  } catch (error) {
    if (error instanceof RangeError) throw createError('QUERY_PARSE_ERROR', { reason: 'Keys are nested too deeply' })
    throw error
  }
}

/**
 * Lists of keys in which none comes twice: which row is of which could not be told.
 *
 * @param {MergedView} merged
 * @param {ViewArgs} args
 * @param {boolean} reduces
 * @returns {ViewArgs[]}
 */
function inParts ({ collation }, { keys, ...args }, reduces) {
  // The list is walked backwards, but not that of a reduction.
  const all = args.descending && !reduces ? [...keys].reverse() : keys
  const parts = []
  let seen = new Set()
  /** @type {any[]} */
  let part = []
  for (const key of all) {
    const text = encoded(collation, key)
    if (seen.has(text)) {
      parts.push(part)
      part = []
      seen = new Set()
    }
    seen.add(text)
    part.push(key)
  }
  return [...parts, part].map(list => ({ ...args, keys: args.descending && !reduces ? list.reverse() : list }))
}

/** How much is still to be skipped and written. @typedef {{ skip: number, limit: number, separator: string, head: string }} Place */

/**
 * @param {Coordinator} coordinator
 * @param {ResponseWriter} out
 * @param {MergedView} merged
 * @param {ViewArgs} args
 * @param {boolean} reduces
 * @param {Place} place
 */
async function writePart (coordinator, out, merged, args, reduces, place) {
  const limit = place.skip + place.limit
  const body = JSON.stringify({ ...args, skip: undefined, limit: limit < Infinity ? limit : undefined })
  const compare = comparisonOf(merged, args, reduces)
  const answers = await coordinator.askAll({ method: 'POST', path: pathOfView(coordinator.req), body, signal: coordinator.leaving })
  const streams = answers.map(answer => new RowStream(answer, 'rows'))
  const merge = new Merge(streams, readRow, compare)
  try {
    await merge.begin()
    if (place.head === '') {
      place.head = headOf(coordinator, streams, args, reduces)
      out.push(place.head)
    }
    const rows = reduces ? groupsOf(merge, merged, compare, limit) : linkedRows(coordinator, merge, args)
    for await (const text of rows) {
      if (place.limit === 0 || out.closed) return
      if (place.skip > 0) {
        place.skip--
        continue
      }
      place.limit--
      out.push(place.separator + text)
      place.separator = ',\r\n'
      if (out.full) await out.flush()
    }
  } finally {
    merge.close()
  }
}

/**
 * The order of rows: by key, or by its place in the list of keys; then by document.
 *
 * @param {MergedView} merged
 * @param {ViewArgs} args
 * @param {boolean} reduces
 * @returns {(a: Row, b: Row) => number}
 */
function comparisonOf ({ collation }, { keys, descending = false }, reduces) {
  const byId = reduces ? () => 0 : (/** @type {Row} */ a, /** @type {Row} */ b) => compareUtf8(a.id, b.id)
  const direction = descending ? -1 : 1
  if (!hasKeys({ keys })) return (a, b) => direction * (collation.compare(a.key, b.key) || byId(a, b))
  const places = new Map(keys.map((/** @type {any} */ key, /** @type {number} */ i) => [collation.encode(key), i]))
  const placeOf = (/** @type {Row} */ row) => {
    row.place ??= /** @type {number} */ (places.get(collation.encode(row.key)))
    return row.place
  }
  return (a, b) => (reduces ? placeOf(a) - placeOf(b) : direction * (placeOf(a) - placeOf(b) || byId(a, b)))
}

/**
 * @param {Coordinator} coordinator
 * @param {Merge<Row>} merge
 * @param {ViewArgs} args
 * @returns {AsyncGenerator<string>}
 */
async function * linkedRows (coordinator, merge, args) {
  const linked = args.include_docs ? new LinkedDocuments(coordinator) : null
  while (true) {
    const next = merge.next()
    const head = next instanceof Promise ? await next : next
    if (head === null) return
    yield linked === null ? head.text : await linked.complete(head.text, head.row, head.index)
  }
}

/**
 * @param {Coordinator} coordinator
 * @param {RowStream[]} streams
 * @param {ViewArgs} args
 * @param {boolean} reduces
 */
function headOf ({ database }, streams, { sorted = true, skip = 0, update_seq: wantsSequence }, reduces) {
  const heads = streams.map(({ members }) => members)
  const sum = (/** @type {string} */ name) => heads.reduce((total, head) => total + head[name], 0)
  const count = reduces || !sorted ? '' : `"total_rows":${sum('total_rows')},"offset":${Math.min(sum('total_rows'), sum('offset') + skip)},`
  const sequence = wantsSequence ? `"update_seq":"${formatVector(database, heads.map(({ update_seq: text }) => numberOf(text)))}",` : ''
  return `{${count}${sequence}"rows":[`
}

/** @type {Record<string, import('./handlers').ShardedHandler>} */
module.exports = {
  view: { answer: view },
  viewQueries: { answer: queries }
}
