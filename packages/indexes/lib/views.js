'use strict'

const { toObject } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { Group, databasePrefix, signatureOf, viewNames } = require('./group')
const { libraryOf } = require('./mapper')
const { reduceRows, reducerFor } = require('./reduce')
const { checkOptions, rangeOf } = require('./view-options')
const { END } = require('./rows')

/** Counting what lies before a range costs a step a row: beyond this `offset` is null. */
const COUNTED = 1000

/** Documents that are read at once for a find. */
const PAGE = 100

/** The map/reduce views of databases in one level. */
class Views {
  #level
  #queryServer
  /** instance id → signature → group */
  #groups = new Map()

  /**
   * @param {{ level: import('abstract-level').AbstractLevel<any, any, any>, queryServer: import('@potoroo/query-server').QueryServer }} options
   */
  constructor ({ level, queryServer }) {
    this.#level = level
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
    const group = this.#group(database, ddoc)
    const view = group.names.indexOf(viewName)
    if (view === -1) throw createError('MISSING', { reason: 'missing_named_view' })
    const source = ddoc.views[viewName].reduce
    const checked = checkOptions(options, group.language === 'query' ? undefined : source)
    await bringUpToDate(group, options)
    const { seq, counts } = await group.rows.meta()
    const answer = checked.reduces
      ? { rows: await this.#reduce(group, view, checked, reducerFor(source, libraryOf(ddoc), this.#queryServer)) }
      : { total_rows: counts[view], ...await this.#map(group, view, checked) }
    return options.update_seq === true ? { ...answer, update_seq: seq } : answer
  }

  async #map (group, view, options) {
    const { keys, skip = 0, limit = Infinity, include_docs: includeDocs } = options
    const ranges = keys === undefined ? [rangeOf(options)] : keys.map(key => rangeOf({ ...options, key }))
    const rows = await take(readAll(group.rows, view, ranges), skip, limit)
    const before = keys === undefined ? await group.rows.countBefore(view, ranges[0], COUNTED) : 0
    const answer = rows.map(([id, key, value]) => ({ id, key, value }))
    return {
      offset: before === null ? null : before + Math.min(skip, await this.#total(group, view)),
      rows: includeDocs ? await withDocuments(group.database, answer, options) : answer
    }
  }

  /**
   * The documents behind a view's rows, in their order, read as they are asked for.
   *
   * @returns {AsyncGenerator<any>} parsed objects
   */
  async * documents (database, name, viewName, options) {
    const group = this.#group(database, await this.#designDocument(database, name))
    await bringUpToDate(group, options)
    const range = rangeOf(checkOptions(options, undefined))
    let page = []
    for await (const [id] of group.rows.read(group.names.indexOf(viewName), range)) {
      if (page.push({ id }) < PAGE) continue
      yield * readDocuments(database, page, options)
      page = []
    }
    yield * readDocuments(database, page, options)
  }

  async #total (group, view) { return (await group.rows.meta()).counts[view] }

  async #reduce (group, view, options, reducer) {
    const { keys, skip = 0, limit = Infinity } = options
    if (keys === undefined) return reduceRows(group.rows.read(view, rangeOf(options)), options, reducer)
    const rows = []
    for (const key of keys) {
      rows.push(...await reduceRows(group.rows.read(view, rangeOf({ ...options, key })), { level: options.level }, reducer))
    }
    return rows.slice(skip, skip + limit)
  }

  /** What `GET /{db}/_design/{ddoc}/_info` says of the index. */
  async info (database, name) {
    const ddoc = await this.#designDocument(database, name)
    const group = this.#group(database, ddoc)
    const { seq, purgeSeq } = await group.rows.meta()
    return { language: group.language, signature: group.signature, update_seq: seq, purge_seq: purgeSeq, updater_running: group.updating, views: group.names }
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
    for (const signature of await this.#signatures(database)) {
      if (wanted.has(signature)) continue
      this.#groups.get(database.instanceId)?.delete(signature)
      const prefix = `${databasePrefix(database)}${signature}/`
      await this.#level.clear({ gte: prefix, lt: prefix + END, keyEncoding: 'utf8' })
    }
  }

  /** Skips from one signature to the next. */
  async #signatures (database) {
    const prefix = databasePrefix(database)
    const found = []
    const keys = this.#level.keys({ gte: prefix, lt: prefix + END, keyEncoding: 'utf8' })
    try {
      for (let key = await keys.next(); key !== undefined; key = await keys.next()) {
        const signature = key.slice(prefix.length, key.indexOf('/', prefix.length))
        found.push(signature)
        keys.seek(`${prefix}${signature}/${END}`)
      }
    } finally {
      await keys.close()
    }
    return found
  }

  /** Forgets all views of a database that is gone. */
  async destroy (instanceId) {
    const groups = this.#groups.get(instanceId)
    this.#groups.delete(instanceId)
    for (const group of groups?.values() ?? []) await group.settled()
    const prefix = databasePrefix({ instanceId })
    await this.#level.clear({ gte: prefix, lt: prefix + END, keyEncoding: 'utf8' })
  }

  #group (database, ddoc) {
    const { instanceId } = database
    if (!this.#groups.has(instanceId)) this.#groups.set(instanceId, new Map())
    const groups = this.#groups.get(instanceId)
    const signature = signatureOf(ddoc, viewNames(ddoc))
    if (!groups.has(signature)) groups.set(signature, new Group(this.#level, database, ddoc, this.#queryServer))
    return groups.get(signature)
  }

  async #designDocument (database, name) {
    return toObject(await database.get(`_design/${name}`))
  }
}

/**
 * @param {Group} group
 * @param {import('./view-options').ViewOptions} options
 */
async function bringUpToDate (group, { update = true, stale }) {
  const later = update === 'lazy' || stale === 'update_after'
  if (update === true && stale === undefined) await group.update()
  // Nobody waits for it; the next query that does not want it stale is told what is wrong.
  else if (later) group.update().catch(() => {})
}

async function * readAll (rows, view, ranges) {
  for (const range of ranges) yield * rows.read(view, range)
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
