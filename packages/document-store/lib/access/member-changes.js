'use strict'

const { EVERYONE, readersOf } = require('./access-list')
const { decodeGone, decodeTimes, isGone, wasSeen } = require('./access-rows')
const { goneRevision } = require('./gone')
const { MergedRows } = require('./merged-rows')
const { openSpans } = require('./sequence-token')
const { selectChanges } = require('../feed/changes')
const { encodeNumber, decodeNumber } = require('../media/layout')
const { accessOf, decodeChange, DocumentRecord } = require('../media/record')
const { seenLeaves } = require('../reading/document')
const { leavesOf } = require('../revision-tree/leaves')
const { decodeHash } = require('../revision-tree/revision')

/**
 * @import { Change, ChangesOptions } from '../..'
 * @import { Core } from '../store/core'
 * @import { Member } from './member'
 * @import { Chain, FeedState, SequenceTokens, Span } from './sequence-token'
 * @import { Snapshot } from '../media/keyspace'
 * @import { ReadRow } from '../feed/changes'
 * @import { MergedRow } from './merged-rows'
 *
 * @typedef {Omit<Change, 'seq'> & { seq: string | number, gone?: boolean }} MemberChange gone: they may no longer see it
 * @typedef {Omit<ChangesOptions, 'since'> & { since?: FeedState | 'now' | number | null, as: Member, inside?: boolean }} MemberChangesOptions
 *   inside: for the server itself, sequences are numbers, and all that went is told
 * @typedef {{ seq: number, id: string, gone: string[] | null, row: ReadRow | null }} Told gone: the leaves that went
 * @typedef {Told & { principal: string, times: number[] }} Doubtful what went, unless they may see it all the same
 *
 * @typedef {object} Scan
 * @property {import('./merged-rows').Source[]} sources
 * @property {Set<string>} present principals that the member is
 * @property {Set<string>} lost roles that they were
 * @property {Chain} chain
 */

const PAGE = 128
const LEAST = 16

/** Rows that are counted for `pending`: to count more would cost more than the rest of the answer. */
const MOST_COUNTED = 10_000

/**
 * The changes of one snapshot that a member may see, page by page; and, where they had other roles before, what those mean:
 * the documents of new roles whatever their sequence, and those of lost roles as gone.
 */
class MemberChanges {
  #core
  #tokens
  #options
  #member
  /** The place where it stands. @type {FeedState} */
  state = { seq: 0, roles: [] }
  /** undefined: there are too many to be counted. @type {number | undefined} */
  pending = 0
  /** The sequence at which it began. */
  #from = 0

  /** @param {Core} core @param {SequenceTokens} tokens @param {MemberChangesOptions} options */
  constructor (core, tokens, options) {
    this.#core = core
    this.#tokens = tokens
    this.#options = options
    this.#member = options.as
  }

  get lastSeq () { return this.#options.inside ? this.state.seq : this.#tokens.write(this.state) }

  async * [Symbol.asyncIterator] () {
    const core = this.#core
    core.assertOpen()
    const snapshot = core.keyspace.snapshot()
    /** @type {MergedRows | null} */
    let rows = null
    const release = core.hold(async () => {
      await rows?.close()
      await snapshot.close()
    })
    try {
      const { totals } = await core.momentOf(snapshot)
      const scan = await this.#begin(snapshot, totals.seq)
      if (scan === null) return
      rows = new MergedRows(core, scan.sources, { snapshot, reverse: this.#options.descending, compare: bySequence })
      yield * this.#read(rows, scan, snapshot)
    } finally {
      await release()
    }
  }

  /**
   * Finds out what is to be read.
   *
   * @param {Snapshot} snapshot
   * @param {number} end the last sequence
   * @returns {Promise<Scan | null>} null where nothing is to be read
   */
  async #begin (snapshot, end) {
    const { since = null, descending = false } = this.#options
    if (since === 'now') {
      this.state = await positionOf(this.#core, this.#member, end, snapshot)
      return null
    }
    const { seq: position, roles } = await positionOf(this.#core, this.#member, end, snapshot)
    const from = startOf(since, descending, roles)
    const chain = chainOf(from, roles, position)
    // Other roles: what they mean is told from the start on.
    this.#from = areSame(from.roles, roles) ? from.seq : 0
    this.state = { seq: this.#from, roles, chain }
    const range = descending ? { gte: '', lte: encodeNumber(end) } : { gt: encodeNumber(this.#from), lte: encodeNumber(end) }
    const lost = new Set([...chain.had, ...chain.spans.map(({ role }) => role)].filter(role => role !== '' && !roles.includes(role)))
    const { layout } = this.#core
    const sources = [...this.#everyone(roles), ...lost].map(principal => ({ principal, prefix: layout.seenChanges(principal), range }))
    return { sources, present: new Set(this.#everyone(roles)), lost, chain }
  }

  /** @param {string[]} roles @returns {string[]} principals */
  #everyone (roles) { return [EVERYONE, ...(this.#member.own === null ? [] : [this.#member.own]), ...roles] }

  /**
   * @param {MergedRows} rows
   * @param {Scan} scan
   * @param {Snapshot} snapshot
   */
  async * #read (rows, scan, snapshot) {
    let { limit = Infinity } = this.#options
    let left = 0
    let last = this.#from
    while (limit > 0) {
      const page = await rows.next(Math.min(PAGE, Math.max(limit, LEAST)))
      if (page.length === 0) return this.#finish()
      const changes = await this.#changesOf(await this.#tell(page, scan, snapshot), snapshot)
      const shown = changes.slice(0, limit)
      limit -= shown.length
      left = changes.length - shown.length
      last = sequenceOf(page[page.length - 1])
      this.state.seq = limit === 0 ? shown[shown.length - 1].seq : last
      if (shown.length > 0) yield this.#sealed(shown)
    }
    const isAll = await this.#count(rows, left, scan)
    if (!isAll || this.#options.limit === 0) return
    this.state.seq = last
    this.#finish()
  }

  /** All is told, of other roles too. */
  #finish () {
    const { seq, roles, chain } = this.state
    this.state = { seq: Math.max(seq, chain?.mark ?? 0), roles }
    this.pending = 0
  }

  /**
   * Counts what is left.
   *
   * @param {MergedRows} rows
   * @param {number} count what of the last page is
   * @param {Scan} scan
   * @returns {Promise<boolean>} whether nothing is
   */
  async #count (rows, count, { present }) {
    for (let seen = 0; seen < MOST_COUNTED;) {
      const page = await rows.next(PAGE)
      if (page.length === 0) {
        this.pending = count
        return seen + count === 0
      }
      seen += page.length
      count += page.filter(({ at }) => at.some(({ principal, value }) => present.has(principal) && !isGone(value))).length
    }
    this.pending = undefined
    return false
  }

  /**
   * Decides what each row tells.
   *
   * @param {MergedRow[]} page
   * @param {Scan} scan
   * @param {Snapshot} snapshot
   * @returns {Promise<Told[]>}
   */
  async #tell (page, scan, snapshot) {
    const { present, lost, chain } = scan
    /** @type {Told[]} */
    const told = []
    /** @type {Doubtful[]} */
    const doubtful = []
    for (const row of page) {
      const seq = sequenceOf(row)
      const shown = row.at.filter(({ principal, value }) => present.has(principal) && !isGone(value))
      if (shown.length > 0) {
        const isKnown = seq <= chain.mark && shown.some(({ principal }) => isAmong(principal, chain.told))
        if (!isKnown || this.#options.descending) told.push({ seq, id: '', gone: null, row: null })
        continue
      }
      if (this.#options.descending) continue
      for (const { principal, value } of row.at) {
        if (isGone(value)) {
          // It was told of those before.
          if (seq <= chain.mark) continue
          const { times, leaves, id } = decodeGone(value)
          doubtful.push({ seq, id, gone: leaves.map(decodeHash), row: null, times, principal })
        } else if (lost.has(principal)) doubtful.push({ seq, id: '', gone: [], row: null, times: [], principal })
      }
    }
    await this.#readRows([...told, ...doubtful.filter(({ id }) => id === '')], snapshot)
    for (const each of await this.#gone(doubtful, scan, snapshot)) if (!told.some(other => other.seq === each.seq)) told.push(each)
    return told.sort((a, b) => this.#options.descending ? b.seq - a.seq : a.seq - b.seq)
  }

  /**
   * Whether they may have been told of a document that a principal saw: when all was told last, or in a part since.
   *
   * @param {string} principal
   * @param {number[]} times
   * @param {Scan} scan
   */
  #mayHave (principal, times, { chain }) {
    if (this.#options.inside) return true
    if (isAmong(principal, chain.had) && wasSeen(times, chain.mark)) return true
    const role = principal.startsWith('r') ? principal : ''
    const spans = chain.spans.filter(span => span.role === role)
    return times.some((began, i) => i % 2 === 0 && spans.some(({ first, reached = this.#from }) => began <= reached && (times[i + 1] ?? Infinity) > first))
  }

  /** @param {Told[]} told @param {Snapshot} snapshot */
  async #readRows (told, snapshot) {
    if (told.length === 0) return
    const { keyspace, layout } = this.#core
    const texts = await keyspace.getMany(told.map(({ seq }) => layout.sequence(seq)), snapshot)
    told.forEach((each, i) => {
      const { id, deleted, leaves } = decodeChange(/** @type {string} */ (texts[i]))
      each.id = id
      each.row = { seq: each.seq, id, deleted, leaves, record: null }
    })
  }

  /**
   * Picks the documents that the member had, and has no longer.
   *
   * @param {Doubtful[]} doubtful
   * @param {Scan} scan
   * @param {Snapshot} snapshot
   * @returns {Promise<Told[]>}
   */
  async #gone (doubtful, scan, snapshot) {
    if (doubtful.length === 0) return []
    const { keyspace, layout } = this.#core
    const records = await keyspace.getMany(doubtful.map(({ id }) => layout.document(id)), snapshot)
    const times = await keyspace.getMany(doubtful.map(({ principal, id }) => layout.seenIds(principal) + id), snapshot)
    const gone = []
    for (const [i, each] of doubtful.entries()) {
      const record = records[i] === undefined ? null : new DocumentRecord(/** @type {string} */ (records[i]))
      if (record !== null && this.#member.reads(each.id, record.access)) continue
      if (!this.#mayHave(each.principal, each.row === null ? each.times : decodeTimes(/** @type {string} */ (times[i])), scan)) continue
      const leaves = each.row === null ? /** @type {string[]} */ (each.gone) : await this.#leavesOf(each, /** @type {DocumentRecord} */ (record), snapshot)
      gone.push({ seq: each.seq, id: each.id, gone: leaves, row: null })
    }
    return gone
  }

  /** The leaves that a lost role showed. @param {Told & { principal: string }} told @param {DocumentRecord} record @param {Snapshot} snapshot */
  async #leavesOf ({ id, principal }, record, snapshot) {
    const [winner, ...losers] = leavesOf(record.revisions).filter((leaf, i) => i === 0 || !leaf.deleted)
    const former = { readsPayload: (/** @type {string} */ id, /** @type {string} */ payload) => readersOf(id, accessOf(payload)).includes(principal) }
    return [winner, ...await seenLeaves(this.#core, id, losers, former, snapshot)].map(({ rev }) => rev)
  }

  /** @param {Told[]} told @param {Snapshot} snapshot @returns {Promise<Array<Change & { gone?: boolean }>>} */
  async #changesOf (told, snapshot) {
    const { docIds } = this.#options
    const wanted = docIds === undefined ? told : told.filter(({ id }) => docIds.includes(id))
    const rows = /** @type {ReadRow[]} */ (wanted.map(({ row }) => row).filter(row => row !== null))
    const changes = new Map((await selectChanges(this.#core, rows, /** @type {any} */ (this.#options), snapshot)).map(change => [change.seq, change]))
    return wanted.flatMap(each => each.row === null ? [this.#goneChange(each)] : changes.get(each.seq) ?? [])
  }

  /** @param {Told} told @returns {Change & { gone: boolean }} */
  #goneChange ({ seq, id, gone }) {
    const revs = /** @type {string[]} */ (gone).map(leaf => goneRevision(this.#core, id, leaf))
    const changes = (this.#options.style === 'all_docs' ? revs : revs.slice(0, 1)).map(rev => ({ rev }))
    const document = { id, rev: revs[0], deleted: true, body: '{}', attachments: null }
    return { seq, id, changes, deleted: true, gone: true, ...(this.#options.includeDocs && { document }) }
  }

  /** @param {Array<Change & { gone?: boolean }>} changes @returns {MemberChange[]} with sequences that tell nothing */
  #sealed (changes) {
    if (this.#options.inside) return changes
    const seqs = this.#tokens.writeAll(this.state, changes.map(({ seq }) => seq))
    return changes.map((change, i) => ({ ...change, seq: seqs[i] }))
  }
}

/** Returns where to begin. @param {FeedState | number | null} since @param {boolean} descending @param {string[]} roles @returns {FeedState} */
function startOf (since, descending, roles) {
  if (typeof since === 'number') return { seq: since, roles }
  return descending || since === null ? { seq: since?.seq ?? 0, roles } : since
}

/** Whether a principal is among those roles, or is no role: others do not change. @param {string} principal @param {string[]} roles */
function isAmong (principal, roles) { return !principal.startsWith('r') || roles.includes(principal) }

/**
 * Begins to tell what there is, or goes on.
 *
 * @param {FeedState} from
 * @param {string[]} roles as they are now
 * @param {number} end the last sequence that the member may see: the database's own would show in each row's
 * @returns {Chain}
 */
function chainOf (from, roles, end) {
  if (from.chain === undefined) return { mark: from.seq, had: from.roles, told: from.roles.filter(role => roles.includes(role)), spans: openSpans(roles, end) }
  const { mark, had, told, spans } = from.chain
  if (areSame(from.roles, roles)) return from.chain
  return { mark, had, told: told.filter(role => roles.includes(role)), spans: [...ended(spans, from.seq), ...openSpans(roles, end)] }
}

/** Spans that have ended; of very many, which only an administrator who changes roles all the time makes, some become one. */
const MOST_SPANS = 64

/** @param {Span[]} spans @param {number} seq */
function ended (spans, seq) {
  const all = spans.map(span => ({ ...span, reached: span.reached ?? seq }))
  if (all.length <= MOST_SPANS) return all
  /** @type {Map<string, Required<Span>>} */
  const merged = new Map()
  for (const { role, first, reached } of all) {
    const known = merged.get(role) ?? { role, first, reached }
    merged.set(role, { role, first: Math.min(first, known.first), reached: Math.max(reached, known.reached) })
  }
  return [...merged.values()]
}

/** @param {string[]} a @param {string[]} b both sorted */
function areSame (a, b) { return a.length === b.length && a.every((role, i) => role === b[i]) }

/** @param {MergedRow} row */
function sequenceOf ({ key }) { return decodeNumber(key) }

/** Numbers as the level orders them. @param {string} a @param {string} b */
function bySequence (a, b) { return a < b ? -1 : a > b ? 1 : 0 }

/**
 * The last sequence that a member may see: the database's own would tell when others write. And the roles of theirs that documents
 * name, or did: others mean nothing.
 *
 * @param {Core} core
 * @param {Member} member
 * @param {number} end
 * @param {Snapshot} snapshot
 * @returns {Promise<FeedState>}
 */
async function positionOf (core, member, end, snapshot) {
  let seq = 0
  const found = new Set()
  for (const principal of member.principals) {
    const prefix = core.layout.seenChanges(principal)
    const [key] = await core.keyspace.keys({ gte: prefix, lte: prefix + encodeNumber(end), reverse: true, limit: 1, snapshot }).all()
    if (key === undefined) continue
    seq = Math.max(seq, decodeNumber(key.slice(prefix.length)))
    found.add(principal)
  }
  return { seq, roles: member.roles.filter(role => found.has(role)) }
}

module.exports = { MemberChanges, bySequence, positionOf }
