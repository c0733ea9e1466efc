'use strict'

const { toObject } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { groupOf, isGroups, signatureOf, viewNames } = require('./group')
const { libraryOf } = require('./mapper')
const { reduceRows, reducerFor } = require('./reduce')
const { Catalogue } = require('./rows/catalogue')
const { checkOptions, rangeOf } = require('./view-options')

/** Counting what lies before a range costs a step a row: beyond this `offset` is null. */
const COUNTED = 1000

/** The map/reduce views of databases, as CouchDB has them: their functions run in the query server. */
class Views {
  #queryServer

  /** @param {{ queryServer: import('@potoroo/query-server').QueryServer }} options */
  constructor ({ queryServer }) {
    this.#queryServer = queryServer
  }

  /**
   * @param {import('@potoroo/document-store').DocumentStore} database
   * @param {string} name of the design document, without `_design/`
   * @param {string} viewName
   * @param {import('./view-options').ViewOptions} [options]
   * @returns {Promise<{ total_rows?: number, offset?: number | null, rows: any[], update_seq?: number }>}
   *   documents are parsed objects
   */
  async query (database, name, viewName, options = {}) {
    const ddoc = await this.#designDocument(database, name)
    const group = await this.#group(database, ddoc)
    const view = group.names.indexOf(viewName)
    if (view === -1) throw createError('MISSING', { reason: 'missing_named_view' })
    const source = ddoc.views[viewName].reduce
    const checked = checkOptions(options, group.language === 'query' ? undefined : source)
    await bringUpToDate(group.index, options)
    const { seq, counts } = group.rows
    const answer = checked.reduces
      ? { rows: await this.#reduce(group, view, checked, reducerFor(source, libraryOf(ddoc), this.#queryServer)) }
      : { total_rows: counts[view], ...await this.#map(group, view, checked) }
    return options.update_seq === true ? { ...answer, update_seq: seq } : answer
  }

  async #map (group, view, options) {
    const { keys, skip = 0, limit = Infinity, include_docs: includeDocs } = options
    const ranges = keys === undefined ? [rangeOf(options)] : keys.map(key => rangeOf({ ...options, key }))
    const rows = await take(readAll(group.rows, view, ranges, skip + limit), skip, limit)
    const before = keys === undefined ? await group.rows.countBefore(view, ranges[0], COUNTED) : 0
    return {
      offset: before === null ? null : before + Math.min(skip, group.rows.counts[view]),
      rows: includeDocs ? await withDocuments(group.database, rows, options) : rows
    }
  }

  /**
   * The documents behind a view's rows, in their order, read as they are asked for.
   *
   * @returns {AsyncGenerator<any>} parsed objects
   */
  async * documents (database, name, viewName, options) {
    const group = await this.#group(database, await this.#designDocument(database, name))
    await bringUpToDate(group.index, options)
    const range = rangeOf(checkOptions(options, undefined))
    for await (const page of group.rows.pages(group.names.indexOf(viewName), range)) {
      yield * readDocuments(database, page.map(({ id }) => ({ id })), options)
    }
  }

  async #reduce (group, view, options, reducer) {
    const { keys, skip = 0, limit = Infinity } = options
    if (keys === undefined) return reduceRows(readAll(group.rows, view, [rangeOf(options)]), options, reducer)
    const rows = []
    for (const key of keys) {
      rows.push(...await reduceRows(readAll(group.rows, view, [rangeOf({ ...options, key })]), { level: options.level }, reducer))
    }
    return rows.slice(skip, skip + limit)
  }

  /** What `GET /{db}/_design/{ddoc}/_info` says of the index. */
  async info (database, name) {
    const ddoc = await this.#designDocument(database, name)
    const { index, rows, ...group } = await this.#group(database, ddoc)
    return { language: group.language, signature: group.signature, update_seq: rows.seq, purge_seq: rows.purgeSeq, updater_running: index.updating, views: group.names }
  }

  /** Drops the rows that no design document asks for any more. */
  async cleanup (database) {
    const wanted = new Set()
    const { rows } = await database.allDocs({ startkey: '_design/', endkey: '_design0', includeDocs: true })
    for await (const page of rows) {
      for (const { document } of page) {
        const ddoc = document && toObject(document)
        if (ddoc) wanted.add(signatureOf(ddoc, viewNames(ddoc)))
      }
    }
    const catalogue = await Catalogue.of(database)
    for (const signature of catalogue.signatures()) {
      if (isGroups(signature) && !wanted.has(signature)) await catalogue.drop(signature)
    }
  }

  async #group (database, ddoc) {
    return groupOf(await Catalogue.of(database), database, ddoc, this.#queryServer)
  }

  async #designDocument (database, name) {
    return toObject(await database.get(`_design/${name}`))
  }
}

/**
 * @param {import('./rows/view-index').ViewIndex} index
 * @param {import('./view-options').ViewOptions} options
 */
async function bringUpToDate (index, { update = true, stale }) {
  const later = update === 'lazy' || stale === 'update_after'
  if (update === true && stale === undefined) await index.update()
  // Nobody waits for it; the next query that does not want it stale is told what is wrong.
  else if (later) index.update().catch(() => {})
}

/** @param {number} [most] how many are wanted */
async function * readAll (rows, view, ranges, most) {
  for (const range of ranges) {
    for await (const page of rows.pages(view, range, most)) yield * page
  }
}

async function take (rows, skip, limit) {
  const taken = []
  if (limit === 0) return taken
  for await (const row of rows) {
    if (skip-- > 0) continue
    taken.push(row)
    if (taken.length >= limit) break
  }
  return taken
}

async function * readDocuments (database, requests, options) {
  if (requests.length === 0) return
  for (const { ok } of await database.bulkGet(requests, { conflicts: options.conflicts })) {
    if (ok !== undefined) yield toObject(ok)
  }
}

/** The document of each row, or the one that its value names by `_id` (and `_rev`). */
async function withDocuments (database, rows, { conflicts, attachments }) {
  const requests = rows.map(({ id, value }) => {
    const linked = typeof value?._id === 'string'
    return { id: linked ? value._id : id, ...(linked && typeof value._rev === 'string' && { rev: value._rev }) }
  })
  const found = await database.bulkGet(requests, { conflicts, attachments })
  return rows.map((row, i) => ({ ...row, doc: found[i].ok && !found[i].ok.deleted ? toObject(found[i].ok, { attachmentData: data => data.toString('base64') }) : null }))
}

module.exports = { Views }
