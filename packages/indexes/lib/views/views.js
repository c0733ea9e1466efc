'use strict'

const { collator } = require('@potoroo/collation')
const { Turn, toObjectInTurns } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { BackgroundIndexer } = require('./background-indexer')
const { DesignDocuments } = require('./design-views')
const { EVERY, isGroups, signatureOf, viewNames } = require('./group')
const { mergedView } = require('./merged-view')
const { DEFAULT_LIMITS, ReduceLimit } = require('../reduces/reduce-limit')
const { reduceView } = require('../reduces/reduce-view')
const { withDocuments } = require('./row-documents')
const { Catalogue } = require('../index/catalogue')
const { seenBy } = require('../index/principal-snapshot')
const { inPartition } = require('../rows/key-range')
const { ViewResult } = require('./view-result')
const { checkEach, checkOptions } = require('./view-options')

/**
 * @typedef {import('@potoroo/document-store').Document} Document
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('@potoroo/document-store').MemberStore} MemberStore
 * @typedef {import('../rows/key-range').KeyRange} KeyRange
 * @typedef {import('../index/index-snapshot').IndexSnapshot} IndexSnapshot
 * @typedef {import('../index/view-index').ViewIndex} ViewIndex
 * @typedef {import('../reduces/reducer').Reducer} Reducer
 * @typedef {import('./group').Group} Group
 * @typedef {import('./design-views').View} View
 * @typedef {import('./view-options').Ranges} Ranges
 * @typedef {import('./view-options').ViewOptions} ViewOptions
 * @typedef {import('./view-options').Plan} ViewPlan
 * @typedef {import('./view-result').MappedRow} MappedRow
 * @typedef {import('./view-result').TextRow} TextRow
 */

/** Rows of several ranges that make a page. */
const PAGE = 256

/** An index is of one version: that of another is built again. */
const COLLATORS = collator === null ? [] : [collator.collatorVersion]

/** The map/reduce views of databases, as CouchDB has them: their functions run in the query server. */
class Views {
  #designs
  #queryServer
  #limits
  #log

  /**
   * @param {object} options
   * @param {import('@potoroo/query-server').QueryServer} options.queryServer
   * @param {() => import('../reduces/reduce-limit').ReduceLimits} [options.reduceLimits] asked for each reduction
   * @param {(message: string) => void} [options.log] hears of what is beyond them, where it is let through
   */
  constructor ({ queryServer, reduceLimits = () => DEFAULT_LIMITS, log }) {
    this.#queryServer = queryServer
    this.#limits = reduceLimits
    this.#log = log
    this.#designs = new DesignDocuments(queryServer, () => new ReduceLimit(this.#limits(), this.#log))
  }

  /**
   * @param {import('@potoroo/document-store').DocumentStore} database
   * @param {string} name of the design document, without `_design/`
   * @param {string} viewName
   * @param {import('./view-options').ViewOptions} [options]
   * @returns {Promise<ViewResult>} to be iterated, or closed
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
   * @param {MemberStore} [reader] the member who asks, in a database with access by document
   * @returns {Promise<Array<() => Promise<ViewResult>>>} the answers, each made when it is asked for
   * @throws forbidden to a reader, unless the index has rows by principal
   */
  async queries (database, name, viewName, several, reader) {
    const { group, view } = await this.#view(database, name, viewName)
    if (reader !== undefined && !group.byPrincipal) throw createError('FORBIDDEN', { reason: 'Only administrators may read this view: its design document lacks `"options": {"access": true}`.' })
    const [first] = await checkAll(several, view)
    // Plans of many would take much memory.
    return several.map((options, i) => () => this.#answer(group, view, i === 0 ? first : checkOptions(options, view), reader))
  }

  /** @param {Group} group @param {View} view @param {ViewPlan} plan @param {MemberStore} [reader] */
  async #answer (group, view, plan, reader) {
    await bringUpToDate(group.index, plan)
    if (plan.reduces) return reduced(group, view, plan, new ReduceLimit(this.#limits(), this.#log), reader)
    return group.byPrincipal ? mappedByPrincipal(group, view, plan, reader) : mapped(group, view, plan)
  }

  /** @param {DocumentStore} database @param {string} name @param {string} viewName */
  async #view (database, name, viewName) {
    const views = await this.#designs.get(database, name)
    return { group: views.group, view: views.view(viewName) }
  }

  /**
   * Tells of the index what `GET /{db}/_design/{ddoc}/_info` says.
   *
   * @param {DocumentStore} database
   * @param {string} name
   */
  async info (database, name) {
    const { group } = await this.#designs.get(database, name)
    const { index, rows, language, signature, names } = group
    return { language, signature, update_seq: rows.seq, purge_seq: rows.purgeSeq, updater_running: index.updating, waiting_clients: index.waiting, collator_versions: COLLATORS, sizes: await rows.sizes(), views: names }
  }

  /**
   * The updates that run in some databases.
   *
   * @param {import('@potoroo/document-store').DocumentStore[]} databases
   * @returns {Array<import('../index/view-index').Progress & { database: string }>}
   */
  tasks (databases) {
    return databases.flatMap(database => (Catalogue.opened(database)?.progress() ?? []).map(progress => ({ database: database.name, ...progress })))
  }

  /**
   * Keeps the indexes of databases up to date from now on, until it is stopped.
   *
   * @param {import('@potoroo/document-store').Databases} databases
   * @param {import('./background-indexer').BackgroundOptions} [options]
   */
  inBackground (databases, options = {}) { return new BackgroundIndexer(databases, this.#designs, options) }

  /**
   * Returns the order and the reduction of a view whose rows are in several databases: the shards of one.
   *
   * @param {{ name: string, instanceId: string, partitioned: boolean }} database
   * @param {any} ddoc
   * @param {string} viewName
   */
  merged (database, ddoc, viewName) {
    return mergedView(database, ddoc, viewName, { queryServer: this.#queryServer, limit: new ReduceLimit(this.#limits(), this.#log) })
  }

  /** Drops the rows that no design document asks for any more. @param {DocumentStore} database */
  async cleanup (database) {
    const wanted = new Set()
    const { rows } = await database.allDocs({ startkey: '_design/', endkey: '_design0', includeDocs: true })
    for await (const page of /** @type {AsyncIterable<Array<{ document?: Document | null }>>} */ (rows)) {
      for (const { document } of page) {
        const ddoc = document && await toObjectInTurns(document)
        if (ddoc) wanted.add(signatureOf(ddoc, viewNames(ddoc)))
      }
    }
    const catalogue = await Catalogue.of(database)
    for (const signature of catalogue.signatures()) {
      if (isGroups(signature) && !wanted.has(signature)) await catalogue.drop(signature)
    }
  }
}

/** @param {ViewOptions[]} several @param {View} view @returns {Promise<any[]>} the first query's plan */
async function checkAll (several, view) {
  const turn = new Turn()
  const first = []
  for (const options of several) {
    const plan = checkOptions(options, view)
    const rest = checkEach(plan, view.collation)
    if (rest !== undefined) await rest
    if (first.length === 0) first.push(plan)
    if (turn.isLong) await turn.end()
  }
  return first
}

/**
 * @param {import('../index/view-index').ViewIndex} index
 * @param {{ update?: boolean | 'lazy' }} plan
 */
async function bringUpToDate (index, { update = true }) {
  if (update === true) await index.update()
  else if (update === 'lazy') index.updateLater()
}

/**
 * Takes the snapshot that a query reads: of all rows, or of those of a partition.
 *
 * @param {ViewIndex} index
 * @param {Pick<ViewPlan, 'update' | 'partition'>} plan
 */
async function snapshotFor (index, { update, partition }) {
  const snapshot = await index.snapshot(update === true)
  return partition === '' ? snapshot : snapshot.within(partition)
}

/**
 * The same of an index with rows by principal: what a reader may see, or all.
 *
 * @param {Group} group
 * @param {View} view
 * @param {Pick<ViewPlan, 'update' | 'partition'>} plan
 * @param {MemberStore | undefined} reader
 */
async function snapshotByPrincipal ({ index }, { number }, plan, reader) {
  const snapshot = await snapshotFor(index, plan)
  return reader === undefined ? snapshot.within(EVERY) : seenBy(snapshot, number, reader.principals)
}

/**
 * @param {Group} group
 * @param {View} view
 * @param {ViewPlan} plan
 * @param {MemberStore | undefined} reader
 */
async function mappedByPrincipal (group, view, plan, reader) {
  await group.rows.prepareSums(view.number)
  const snapshot = /** @type {IndexSnapshot} */ (await snapshotByPrincipal(group, view, plan, reader))
  try {
    const totalRows = await snapshot.count(view.number)
    const { low, high, descending } = plan.ranges.at(0) ?? { descending: false }
    const edge = descending ? high : low
    const before = edge === undefined ? 0 : await snapshot.count(view.number, descending ? { low: high } : { high: low })
    const pages = mapRows(view, plan.ranges, plan, snapshot)
    // The sequence tells what others write.
    const updateSeq = reader === undefined ? snapshot.state.seq : undefined
    const offset = Math.min(before + plan.skip, totalRows)
    return new ViewResult({ totalRows, offset, updateSeq }, plan.includeDocs ? withDocuments(reader ?? group.database, pages, plan.reads) : pages, snapshot.close)
  } catch (error) {
    await snapshot.close()
    throw error
  }
}

/** @param {KeyRange | undefined} range @param {Pick<ViewPlan, 'partition'>} plan */
function wholeRange (range, { partition }) {
  return range === undefined || partition === '' ? range : inPartition(range, partition)
}

/** @param {Group} group @param {View} view @param {ViewPlan} plan */
async function mapped ({ database, index, rows }, view, plan) {
  await rows.prepareSums(view.number)
  const snapshot = await snapshotFor(index, plan)
  try {
    const { ranges } = plan
    const { seq, counts } = snapshot.state
    const totalRows = counts[view.number]
    const offset = Math.min(await countBefore(view, ranges, snapshot) + plan.skip, totalRows)
    const only = ranges.length === 1 ? ranges.at(0) : undefined
    const pages = only !== undefined ? snapshot.texts(view.number, only, plan.limit, plan.skip) : mapRows(view, ranges, plan, snapshot)
    return new ViewResult({ totalRows, offset, updateSeq: seq }, plan.includeDocs ? withDocuments(database, pages, plan.reads) : pages, snapshot.close)
  } catch (error) {
    await snapshot.close()
    throw error
  }
}

/**
 * Counts the rows before the first row; before the last range, if no range has rows.
 *
 * @param {View} view
 * @param {Ranges} ranges
 * @param {IndexSnapshot} snapshot
 */
async function countBefore (view, ranges, snapshot) {
  let first = ranges.at(-1)
  for (const range of ranges.length === 1 ? [] : ranges) {
    if (await isEmpty(view, range, snapshot)) continue
    first = range
    break
  }
  return first === undefined ? 0 : view.offsets.of(snapshot, first)
}

/** @param {View} view @param {KeyRange} range @param {IndexSnapshot} snapshot */
async function isEmpty (view, range, snapshot) {
  // eslint-disable-next-line no-unreachable-loop -- one page answers it
  for await (const page of snapshot.texts(view.number, range, 1)) return page.length === 0
  return true
}

/**
 * Leaves out whole ranges where they are counted at once, and otherwise reads rows that are skipped. Short ranges
 * share a page.
 *
 * @param {View} view
 * @param {Ranges} ranges
 * @param {Pick<ViewPlan, 'skip' | 'limit'>} plan
 * @param {IndexSnapshot} snapshot
 * @returns {AsyncGenerator<MappedRow[]>}
 */
async function * mapRows (view, ranges, { skip, limit }, snapshot) {
  let page = /** @type {MappedRow[]} */ ([])
  let left = limit
  for (const range of ranges) {
    if (left <= 0) break
    const count = skip > 0 ? snapshot.tellCount(view.number, range) : undefined
    if (count !== undefined && count <= skip) {
      skip -= count
      continue
    }
    for await (const found of snapshot.texts(view.number, range, skip + left)) {
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

/** @param {Group} group @param {View} view @param {ViewPlan} plan @param {ReduceLimit} limit @param {MemberStore} [reader] */
async function reduced (group, view, plan, limit, reader) {
  const { index, rows } = group
  const { ranges } = plan
  const reducer = view.reducer(limit)
  const question = group.byPrincipal ? undefined : questionOf(plan, reducer)
  const known = question === undefined || rows.state.unfinished !== undefined ? undefined : view.answers.find(rows.state, question)
  if (known !== undefined) return new ViewResult({ updateSeq: rows.seq }, pagesOf(known), async () => {})
  await rows.prepareSums(view.number, plan.level === 0 ? wholeRange(ranges.at(0), plan) : undefined)
  const snapshot = /** @type {IndexSnapshot} */ (group.byPrincipal ? await snapshotByPrincipal(group, view, plan, reader) : await snapshotFor(index, plan))
  try {
    const made = reducedRows(view, ranges, plan, reducer, snapshot)
    const pages = question === undefined ? made : view.answers.keep(snapshot.state, question, made)
    // Rows that cannot be reduced are told of before there is an answer.
    const first = await pages.next()
    const close = async () => {
      await pages.return(undefined)
      await snapshot.close()
    }
    return new ViewResult({ updateSeq: reader === undefined ? snapshot.state.seq : undefined }, first.done ? pages : followed(first.value, pages), close)
  } catch (error) {
    await snapshot.close()
    throw error
  }
}

/**
 * Returns a name for what is asked of a view, where its answer is the same for all who ask; undefined of a list of keys.
 *
 * @param {ViewPlan} plan
 * @param {Reducer} reducer
 */
function questionOf ({ ranges, keys, partition, level, skip, limit }, reducer) {
  const range = ranges.at(0)
  if (keys !== undefined || range === undefined || range.accepts !== undefined) return undefined
  return JSON.stringify([reducer.name, partition, String(level), skip, String(limit), range.low, range.high, range.descending])
}

/** @param {TextRow[]} rows */
async function * pagesOf (rows) { if (rows.length > 0) yield rows }

/** @param {TextRow[]} first @param {AsyncIterable<TextRow[]>} others @returns {AsyncGenerator<TextRow[]>} */
async function * followed (first, others) {
  yield first
  yield * others
}

/**
 * @param {View} view
 * @param {Ranges} ranges
 * @param {ViewPlan} plan
 * @param {Reducer} reducer
 * @param {IndexSnapshot} snapshot
 * @returns {AsyncGenerator<TextRow[]>}
 */
async function * reducedRows (view, ranges, plan, reducer, snapshot) {
  const options = { level: plan.level, skip: plan.skip, limit: plan.limit, groupKeys: plan.keys }
  for await (const page of reduceView(snapshot, view.number, ranges, options, reducer)) yield page.map(toTexts)
}

/** @param {{ key: string, value?: any, error?: string, reason?: string }} row @returns {TextRow} */
function toTexts ({ key, value, error, reason }) {
  // CouchDB does not say which group it is.
  if (error !== undefined) return { key: 'null', error: JSON.stringify(error), reason: JSON.stringify(reason) }
  return { key, value: JSON.stringify(value) ?? 'null' }
}

module.exports = { Views }
