'use strict'

const { createError } = require('@potoroo/errors')

/** @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore */

/** A document store, or a view of one: a reader of a thread has the part that reading takes. @typedef {Pick<DocumentStore, keyof DatabaseView & keyof DocumentStore>} AnyDatabase */

/** The verbs by kinds, for policies to say which they let pass. */
const VERBS = {
  facts: ['name', 'closed', 'instanceId', 'partitioned', 'byDocument', 'isOfMember', 'updateSeq', 'purgeSeq', 'designSeq', 'docCount', 'revsLimit', 'purgedInfosLimit', 'retention', 'info', 'partitionInfo'],
  live: ['liveSource'],
  reads: ['get', 'openRevs', 'bulkGet', 'allDocs', 'changes', 'follow', 'getRevisionTree', 'revsDiff', 'getAttachment', 'purges', 'history'],
  writes: ['put', 'write', 'putAttachment', 'removeAttachment'],
  localReads: ['getLocal', 'allLocal'],
  localWrites: ['putLocal', 'removeLocal'],
  administration: ['purge', 'compact', 'setRevsLimit', 'setPurgedInfosLimit', 'setRetention']
}

const ALL = Object.values(VERBS).flat()

/** @param {string} verb @returns {never} */
function denied (verb) { throw createError('FORBIDDEN', { reason: `No policy lets ${verb} pass` }) }

/** Whether a policy has nothing but the denial of a verb. @param {any} prototype @param {string} verb @param {PropertyDescriptor} denial */
function isDenied (prototype, verb, denial) {
  while (!Object.hasOwn(prototype, verb)) prototype = Object.getPrototypeOf(prototype)
  const { get, value } = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(prototype, verb))
  return get === denial.get && value === denial.value
}

/** Returns the member that hands on to what is below. @param {string} verb @param {PropertyDescriptor} denial @returns {PropertyDescriptor} */
function passing (verb, denial) {
  if (denial.get !== undefined) return { ...denial, get: /** @this {any} */ function () { return this.below[verb] } }
  return { ...denial, value: /** @this {any} @param {any[]} given */ function (...given) { return this.below[verb](...given) } }
}

/**
 * A database as requests use it: these verbs of a DocumentStore, and no others. Each is denied here. Policies extend it,
 * override the verbs they have something to say about, and list those that they let pass; one stands on top of another.
 */
class DatabaseView {
  /** The next one to ask: another policy, or the store. @type {AnyDatabase} */
  below

  /** @param {any} below a DocumentStore, a DocumentReader, or another view */
  constructor (below) { this.below = below }

  /**
   * Lets verbs pass as they are, or as the policy above does them. All others that a policy does not have itself are denied.
   *
   * @param {string[]} verbs
   */
  static letPass (verbs) {
    for (const verb of ALL) {
      if (Object.hasOwn(this.prototype, verb)) continue
      const denial = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(DatabaseView.prototype, verb))
      if (!verbs.includes(verb)) Object.defineProperty(this.prototype, verb, denial)
      else if (isDenied(this.prototype, verb, denial)) Object.defineProperty(this.prototype, verb, passing(verb, denial))
    }
  }

  /** Whether it writes documents that carry their text alone: a policy that looks at their members has to say no. */
  get takesBare () { return false }

  /** @returns {DocumentStore['name']} */
  get name () { return denied('name') }
  /** @returns {DocumentStore['closed']} */
  get closed () { return denied('closed') }
  /** @returns {DocumentStore['instanceId']} */
  get instanceId () { return denied('instanceId') }
  /** @returns {DocumentStore['partitioned']} */
  get partitioned () { return denied('partitioned') }
  /** @returns {DocumentStore['byDocument']} */
  get byDocument () { return denied('byDocument') }
  /** @returns {DocumentStore['isOfMember']} */
  get isOfMember () { return denied('isOfMember') }
  /** @returns {DocumentStore['updateSeq']} */
  get updateSeq () { return denied('updateSeq') }
  /** @returns {DocumentStore['purgeSeq']} */
  get purgeSeq () { return denied('purgeSeq') }
  /** @returns {DocumentStore['designSeq']} */
  get designSeq () { return denied('designSeq') }
  /** @returns {DocumentStore['docCount']} */
  get docCount () { return denied('docCount') }
  /** @returns {DocumentStore['revsLimit']} */
  get revsLimit () { return denied('revsLimit') }
  /** @returns {DocumentStore['purgedInfosLimit']} */
  get purgedInfosLimit () { return denied('purgedInfosLimit') }

  /** @returns {DocumentStore['retention']} */
  get retention () { return denied('retention') }

  /**
   * The database as live queries follow it: it is shared by all who see the same, and shows nothing else.
   *
   * @returns {DocumentStore['liveSource']}
   */
  get liveSource () { return denied('liveSource') }

  /** @type {DocumentStore['info']} */
  info (..._) { return denied('info') }
  /** @type {DocumentStore['partitionInfo']} */
  partitionInfo (..._) { return denied('partitionInfo') }

  /** @type {DocumentStore['get']} */
  get (..._) { return denied('get') }
  /** @type {DocumentStore['openRevs']} */
  openRevs (..._) { return denied('openRevs') }
  /** @type {DocumentStore['bulkGet']} */
  bulkGet (..._) { return denied('bulkGet') }
  /** @type {DocumentStore['allDocs']} */
  allDocs (..._) { return denied('allDocs') }
  /** @type {DocumentStore['changes']} */
  changes (..._) { return denied('changes') }
  /** @type {DocumentStore['follow']} */
  follow (..._) { return denied('follow') }
  /** @type {DocumentStore['getRevisionTree']} */
  getRevisionTree (..._) { return denied('getRevisionTree') }
  /** @type {DocumentStore['revsDiff']} */
  revsDiff (..._) { return denied('revsDiff') }
  /** @type {DocumentStore['getAttachment']} */
  getAttachment (..._) { return denied('getAttachment') }
  /** @type {DocumentStore['getLocal']} */
  getLocal (..._) { return denied('getLocal') }
  /** @type {DocumentStore['allLocal']} */
  allLocal (..._) { return denied('allLocal') }
  /** @type {DocumentStore['purges']} */
  purges (..._) { return denied('purges') }

  /** @type {DocumentStore['history']} */
  history (..._) { return denied('history') }

  /** @type {DocumentStore['put']} */
  put (..._) { return denied('put') }
  /** @type {DocumentStore['write']} */
  write (..._) { return denied('write') }
  /** @type {DocumentStore['putAttachment']} */
  putAttachment (..._) { return denied('putAttachment') }
  /** @type {DocumentStore['removeAttachment']} */
  removeAttachment (..._) { return denied('removeAttachment') }
  /** @type {DocumentStore['putLocal']} */
  putLocal (..._) { return denied('putLocal') }
  /** @type {DocumentStore['removeLocal']} */
  removeLocal (..._) { return denied('removeLocal') }

  /** @type {DocumentStore['purge']} */
  purge (..._) { return denied('purge') }
  /** @type {DocumentStore['compact']} */
  compact (..._) { return denied('compact') }
  /** @type {DocumentStore['setRevsLimit']} */
  setRevsLimit (..._) { return denied('setRevsLimit') }
  /** @type {DocumentStore['setPurgedInfosLimit']} */
  setPurgedInfosLimit (..._) { return denied('setPurgedInfosLimit') }
  /** @type {DocumentStore['setRetention']} */
  setRetention (..._) { return denied('setRetention') }
}

/** A database with all verbs: what stands on it decides. */
class UnlimitedView extends DatabaseView {
  static { this.letPass(ALL) }
}

/**
 * A view for what takes document stores and uses the verbs of views alone: indexes do.
 *
 * @param {DatabaseView} view
 * @returns {DocumentStore}
 */
function asStore (view) { return /** @type {any} */ (view) }

module.exports = { DatabaseView, UnlimitedView, VERBS, asStore }
