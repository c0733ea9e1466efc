'use strict'

const { StoredDesigns } = require('../index/stored-designs')
const { StoredState } = require('../index/stored-state')
const { storedSnapshot } = require('../index/stored-snapshot')
const { takeSnapshot } = require('../index/take-snapshot')
const { DEFAULT_LIMITS, ReduceLimit } = require('../reduces/reduce-limit')
const { describeGroup } = require('./group')
const { mappedIn } = require('./mapped')
const { isBuiltIn, namedView } = require('./named-view')
const { knownAnswer, questionOf, reducedIn } = require('./reduced')
const { checkAll } = require('./view-options')

/**
 * @typedef {import('@potoroo/document-store').DocumentReader} DocumentReader
 * @typedef {import('@potoroo/query-server').QueryServer} QueryServer
 * @typedef {import('../index/index-snapshot').IndexSnapshot} IndexSnapshot
 * @typedef {import('../index/stored-designs').Moment} Moment
 * @typedef {import('./named-view').View} View
 * @typedef {import('./view-options').Plan} ViewPlan
 * @typedef {import('./view-options').ViewOptions} ViewOptions
 * @typedef {import('./view-result').ViewResult} ViewResult
 */

/** The views of one revision of a design document. */
class StoredDesign {
  #database
  #ddoc
  #queryServer
  /** @type {Map<string, View>} */
  #views = new Map()

  /** @param {DocumentReader} database @param {any} ddoc @param {QueryServer} queryServer */
  constructor (database, ddoc, queryServer) {
    this.#database = database
    this.#ddoc = ddoc
    this.#queryServer = queryServer
    this.group = describeGroup(database, ddoc)
    this.stored = new StoredState(this.group.signature)
    /** Views of which the owner can work something out for those who come later. @type {Set<number>} */
    this.wanted = new Set()
  }

  /** @param {string} name @returns {View} @throws not_found "missing_named_view" */
  view (name) {
    let view = this.#views.get(name)
    if (view === undefined) this.#views.set(name, view = namedView(this.#database, this.#ddoc, this.group, name, this.#queryServer))
    return view
  }
}

/**
 * The views of databases that another thread writes, as they are stored: it updates nothing and calls no function. The design
 * document, the rows and how far they have come are of one snapshot.
 */
class StoredViews {
  #queryServer
  #limits
  #log
  /** @type {StoredDesigns<StoredDesign>} */
  #designs = new StoredDesigns()

  /**
   * @param {object} options
   * @param {QueryServer} options.queryServer is never asked
   * @param {() => import('../reduces/reduce-limit').ReduceLimits} [options.reduceLimits] asked for each reduction
   * @param {(message: string) => void} [options.log] hears of what is beyond them, where it is let through
   */
  constructor ({ queryServer, reduceLimits = () => DEFAULT_LIMITS, log }) {
    this.#queryServer = queryServer
    this.#limits = reduceLimits
    this.#log = log
  }

  /**
   * Answers as `Views.query` does.
   *
   * @param {DocumentReader} database
   * @param {string} design name of the design document, without `_design/`
   * @param {string} name of the view
   * @param {ViewOptions} [options]
   * @returns {Promise<ViewResult | null>} null where the index has to be made or updated before, where a function reduces,
   *   and in a database with access by document
   */
  async query (database, design, name, options = {}) {
    if (database.byDocument) return null
    const taken = takeSnapshot(database.indexSpace)
    let answer = null
    try {
      const moment = database.momentOf(taken.snapshot)
      const open = await this.#designs.get(database, taken.snapshot, moment, design, ddoc => new StoredDesign(database, ddoc, this.#queryServer))
      const view = open.view(name)
      const [plan] = await checkAll([options], view)
      answer = await this.#answer(database, open, view, plan, { moment, taken })
      return answer
    } finally {
      if (answer === null) await taken.close()
    }
  }

  /**
   * @param {DocumentReader} database
   * @param {StoredDesign} open
   * @param {View} view
   * @param {ViewPlan} plan
   * @param {{ moment: Moment, taken: ReturnType<typeof takeSnapshot> }} now
   * @returns {Promise<ViewResult | null>}
   */
  async #answer (database, open, view, plan, { moment, taken }) {
    if (plan.reduces && isFunction(view.reduce)) return null
    const state = await open.stored.at(database.indexSpace, taken.snapshot, plan.update === false ? undefined : moment)
    if (state === null) return null
    const whole = storedSnapshot(database.indexSpace, { collations: open.group.collations, state, ...taken, want: number => { open.wanted.add(number) } })
    const snapshot = plan.partition === '' ? whole : whole.within(plan.partition)
    if (plan.reduces) return this.#reduced(open, view, plan, snapshot)
    return isForOwner(open, view) ? null : mappedIn(snapshot, database, view, plan)
  }

  /** @param {StoredDesign} open @param {View} view @param {ViewPlan} plan @param {IndexSnapshot} snapshot */
  async #reduced (open, view, plan, snapshot) {
    const reducer = view.reducer(new ReduceLimit(this.#limits(), this.#log))
    const question = questionOf(plan, reducer)
    const known = knownAnswer(view, snapshot.state, question)
    if (known !== undefined) {
      await snapshot.close()
      return known
    }
    if (isForOwner(open, view) || await lacksSums(view, plan, snapshot)) return null
    return reducedIn(snapshot, view, plan, { reducer, question })
  }
}

/** @param {any} reduce one that is no text is refused by whoever reduces */
function isFunction (reduce) { return typeof reduce === 'string' && !isBuiltIn(reduce) }

/** Whether the owner works something out with this query that the next ones read. @param {StoredDesign} open @param {View} view */
function isForOwner (open, view) { return open.wanted.delete(view.number) }

/** Whether many rows would be reduced one by one, for which the owner makes sums. @param {View} view @param {ViewPlan} plan @param {IndexSnapshot} snapshot */
async function lacksSums ({ number }, { level, ranges }, snapshot) {
  const range = ranges.at(0)
  return level === 0 && range !== undefined && snapshot.state.sums?.[number] === undefined && await snapshot.isLong(number, range)
}

module.exports = { StoredViews }
