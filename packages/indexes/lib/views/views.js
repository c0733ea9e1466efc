'use strict'

const { collator } = require('@potoroo/collation')
const { createError } = require('@potoroo/errors')
const { BackgroundIndexer } = require('./background-indexer')
const { DesignDocuments } = require('./design-views')
const { isGroups, signatureOf, viewNames } = require('./group')
const { mapped, mappedByPrincipal, mappedNow } = require('./mapped')
const { mergedView } = require('./merged-view')
const { DEFAULT_LIMITS, ReduceLimit } = require('../reduces/reduce-limit')
const { Catalogue } = require('../index/catalogue')
const { dropUnwanted } = require('../index/drop-unwanted')
const { reduced } = require('./reduced')
const { checkAll, checkOptions } = require('./view-options')

/**
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('@potoroo/document-store').MemberStore} MemberStore
 * @typedef {import('./group').Group} Group
 * @typedef {import('./named-view').View} View
 * @typedef {import('./view-options').Plan} ViewPlan
 * @typedef {import('./view-result').ViewResult} ViewResult
 */

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
    return group.byPrincipal ? mappedByPrincipal(group, view, plan, reader) : mappedNow(group, view, plan) ?? mapped(group, view, plan)
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
  async cleanup (database) { await dropUnwanted(database, isGroups, ddoc => [signatureOf(ddoc, viewNames(ddoc))]) }
}

/**
 * @param {import('../index/view-index').ViewIndex} index
 * @param {{ update?: boolean | 'lazy' }} plan
 */
async function bringUpToDate (index, { update = true }) {
  if (update === true) await index.catchUp()
  else if (update === 'lazy') index.updateLater()
}

module.exports = { Views }
