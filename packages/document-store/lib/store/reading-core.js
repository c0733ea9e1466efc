'use strict'

const { createError } = require('@potoroo/errors')
const { Core } = require('./core')
const { IdRanks } = require('../reading/id-ranks')
const { Ranks } = require('../reading/ranks')
const { Totals } = require('../commit/totals')

/**
 * @import { Retention } from '../history/retention'
 * @import { Snapshot } from '../media/keyspace'
 */

/**
 * A core for reading what another thread writes. It keeps nothing that a commit changes: what is
 * counted is read when it is asked for, and several reads are of one snapshot.
 */
class ReadingCore extends Core {
  /**
   * @param {import('abstract-level').AbstractLevel<any, any, any>} level
   * @param {import('../..').StoreOptions} options
   */
  constructor (level, options) {
    super(level, { ...options, shared: true }, () => {})
  }

  get totals () { return this.totalsOf(undefined) }

  // They are never set here.
  set totals (totals) {}

  /** @param {Snapshot} [snapshot] */
  totalsOf (snapshot) {
    const text = this.keyspace.getSync(this.layout.state, snapshot)
    if (!Totals.isText(text)) throw createError('NO_DATABASE')
    return new Totals(text)
  }

  /**
   * Returns the counts of a snapshot. A commit that is being flushed counts, too: callers that must not show it do not
   * ask here.
   *
   * @param {Snapshot} snapshot
   */
  async momentOf (snapshot) { return { totals: this.totalsOf(snapshot), commits: 0 } }

  /** @returns {Promise<never>} */
  async write () { throw notHere() }

  /** @returns {Promise<never>} */
  async commit () { throw notHere() }

  /** Is read each time: it may have been set since. */
  get revsLimit () {
    const text = this.keyspace.getSync(this.layout.meta('database'))
    return text === undefined ? super.revsLimit : JSON.parse(text).revsLimit
  }

  /** Is read each time, too. @returns {Retention | null} */
  get retention () {
    const text = this.keyspace.getSync(this.layout.meta('history'))
    return text === undefined ? null : JSON.parse(text)
  }

  // It is never set here.
  set retention (retention) {}

  /** Returns new ones each time: no commit is heard of that would keep remembered counts right. @returns {Ranks} */
  get ranks () { return new Ranks(this) }

  /** @returns {IdRanks} */
  get idRanks () { return new IdRanks(this) }
}

/** Two who commit to one database would lose each other's changes. */
function notHere () { return createError('INTERNAL', { reason: 'Another thread writes this database' }) }

module.exports = { ReadingCore }
