'use strict'

const { collator } = require('@potoroo/collation')
const { toObject } = require('@potoroo/document-store')
const { DesignDocuments } = require('./design-views')
const { isGroups, signatureOf, viewNames } = require('./group')
const { reduceRows } = require('./reduce')
const { withDocuments } = require('./row-documents')
const { Catalogue } = require('./rows/catalogue')
const { ViewAnswer } = require('./view-answer')
const { checkOptions, rangeOf, rangesOf } = require('./view-options')

/** Counting what lies before a range costs a step a row: beyond this `offset` is null. */
const COUNTED = 1000

/** Rows of several ranges that make a page. */
const PAGE = 256

/** An index is of one version: that of another is built anew. */
const COLLATORS = collator === null ? [] : [collator.collatorVersion]

/** The map/reduce views of databases, as CouchDB has them: their functions run in the query server. */
class Views {
  #designs

  /** @param {{ queryServer: import('@potoroo/query-server').QueryServer }} options */
  constructor ({ queryServer }) {
    this.#designs = new DesignDocuments(queryServer)
  }

  /**
   * @param {import('@potoroo/document-store').DocumentStore} database
   * @param {string} name of the design document, without `_design/`
   * @param {string} viewName
   * @param {import('./view-options').ViewOptions} [options]
   * @returns {Promise<ViewAnswer>} to be iterated, or closed
   */
  async query (database, name, viewName, options = {}) {
    const [answer] = await this.queries(database, name, viewName, [options])
    return answer()
  }

  /**
   * Several queries of one view. All are checked before there is an answer to any.
   *
   * @param {import('@potoroo/document-store').DocumentStore} database
   * @param {string} name of the design document, without `_design/`
   * @param {string} viewName
   * @param {Array<import('./view-options').ViewOptions>} several
   * @returns {Promise<Array<() => Promise<ViewAnswer>>>} the answers, each made when it is asked for
   */
  async queries (database, name, viewName, several) {
    const { group, view } = await this.#view(database, name, viewName)
    const plans = several.map(options => checkOptions(options, view))
    return plans.map(plan => async () => {
      await bringUpToDate(group.index, plan)
      return plan.reduces ? reduced(group, view, plan) : mapped(group, view, plan)
    })
  }

  async #view (database, name, viewName) {
    const views = await this.#designs.get(database, name)
    return { group: views.group, view: views.view(viewName) }
  }

  /**
   * The documents behind a view's rows, in their order, read as they are asked for.
   *
   * @returns {AsyncGenerator<any>} parsed objects
   */
  async * documents (database, name, viewName, options) {
    const { group, view } = await this.#view(database, name, viewName)
    await bringUpToDate(group.index, options)
    const { startkey, endkey, descending } = options
    const range = rangeOf({ descending }, startkey, endkey, view.collation)
    for await (const page of group.rows.pages(view.number, range)) {
      yield * readDocuments(database, page.map(({ id }) => ({ id })), options)
    }
  }

  /** What `GET /{db}/_design/{ddoc}/_info` says of the index. */
  async info (database, name) {
    const { group } = await this.#designs.get(database, name)
    const { index, rows, language, signature, names } = group
    return { language, signature, update_seq: rows.seq, purge_seq: rows.purgeSeq, updater_running: index.updating, collator_versions: COLLATORS, views: names }
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
    this.#designs.forget(database)
  }
}

/**
 * @param {import('./rows/view-index').ViewIndex} index
 * @param {{ update?: boolean | 'lazy' }} plan
 */
async function bringUpToDate (index, { update = true }) {
  if (update === true) await index.update()
  else if (update === 'lazy') index.updateLater()
}

async function mapped ({ database, index, rows }, view, plan) {
  const moment = await index.moment(plan.update === true)
  try {
    const ranges = rangesOf(plan, view.collation)
    const { seq, counts } = moment.state
    const totalRows = counts[view.number]
    const before = await countBefore(rows, view, ranges, moment)
    const offset = before === null ? null : Math.min(before + plan.skip, totalRows)
    const isWhole = ranges.length === 1 && plan.skip === 0
    const pages = isWhole ? rows.texts(view.number, ranges[0], plan.limit, moment) : mapRows(rows, view, ranges, plan, moment)
    return new ViewAnswer({ totalRows, offset, updateSeq: seq }, plan.includeDocs ? withDocuments(database, pages, plan.reads) : pages, moment.close)
  } catch (error) {
    await moment.close()
    throw error
  }
}

/** What lies before the first row; where no range has rows, before the last of them. */
async function countBefore (rows, view, ranges, moment) {
  let first = ranges.at(-1)
  for (const range of ranges.length === 1 ? [] : ranges) {
    if (await isEmpty(rows, view, range, moment)) continue
    first = range
    break
  }
  return first === undefined ? 0 : rows.countBefore(view.number, first, COUNTED, moment)
}

async function isEmpty (rows, view, range, moment) {
  // eslint-disable-next-line no-unreachable-loop -- one page answers it
  for await (const page of rows.texts(view.number, range, 1, moment)) return page.length === 0
  return true
}

/** What is skipped is read all the same. Short ranges share a page. */
async function * mapRows (rows, view, ranges, { skip, limit }, moment) {
  let page = []
  let left = limit
  for (const range of ranges) {
    if (left <= 0) break
    for await (const found of rows.texts(view.number, range, skip + left, moment)) {
      const skipped = Math.min(skip, found.length)
      skip -= skipped
      const wanted = skipped === 0 && found.length <= left ? found : found.slice(skipped, skipped + left)
      left -= wanted.length
      page = page.length === 0 ? wanted : page.concat(wanted)
      if (page.length < PAGE && ranges.length > 1) continue
      if (page.length > 0) yield page
      page = []
    }
  }
  if (page.length > 0) yield page
}

async function reduced ({ rows }, view, plan) {
  const { seq } = rows
  return new ViewAnswer({ updateSeq: seq }, reducedRows(rows, view, plan), async () => {})
}

async function * reducedRows (rows, view, plan) {
  const { skip, limit, level } = plan
  const { collation } = view
  const ranges = rangesOf(plan, collation)
  const options = plan.keys === undefined ? { level, collation, skip, limit } : { level, collation }
  const groups = []
  for (const range of ranges) groups.push(...await reduceRows(readAll(rows, view.number, range), options, view.reducer))
  const wanted = plan.keys === undefined ? groups : groups.slice(skip, skip + limit)
  yield wanted.map(({ key, value }) => ({ key: JSON.stringify(key), value: JSON.stringify(value) ?? 'null' }))
}

async function * readAll (rows, view, range) {
  for await (const page of rows.pages(view, range)) yield * page
}

async function * readDocuments (database, requests, options) {
  if (requests.length === 0) return
  for (const { ok } of await database.bulkGet(requests, { conflicts: options.conflicts })) {
    if (ok !== undefined) yield toObject(ok)
  }
}

module.exports = { Views }
