'use strict'

const { createError } = require('@potoroo/errors')
const { AccessRows } = require('../access/access-rows')
const { AttachmentStore } = require('../attachments/attachment-store')
const { DocumentCounts } = require('./document-counts')
const { DocumentState } = require('./document-state')
const { del, put } = require('../media/keyspace')
const { encodeChange, encodeDocument, encodeOrigin } = require('../media/record')
const { storing } = require('../history/retention')
const { Turn } = require('../json/turn')
const { StoredBodies } = require('./stored-bodies')
const { TouchedPartitions } = require('./partition-totals')
const { VersionRows } = require('../history/version-rows')

/**
 * @import { Core } from '../store/core'
 * @import { Operation } from '../media/keyspace'
 * @import { DocumentRecord } from '../media/record'
 * @import { Retention } from '../history/retention'
 * @import { Version } from '../history/version'
 *
 * @typedef {DocumentState & { stored: DocumentRecord, storedWinner: string }} Stored a document that is there already
 * @typedef {DocumentState & { winner: string }} Present one that the commit leaves there
 */

/**
 * All that one level batch will change: the writers that arrived together work on it in turn,
 * each seeing what the earlier ones did. Nothing outside it changes before `write` succeeded.
 */
class Commit {
  #core
  /** By id. @type {Map<string, DocumentState>} */
  #documents = new Map()
  /** By key. @type {Map<string, string | undefined>} */
  #locals = new Map()
  /** By key. @type {Map<string, string | undefined>} */
  #prefetched = new Map()
  /** @type {import('../media/keyspace').Operation[]} */
  #operations = []
  #bodies
  #counts
  #versions
  #time

  /**
   * @param {Core} core
   * @param {boolean} [isShort] there is no room for bodies that edits replace: they are dropped, as compaction would
   */
  constructor (core, isShort = false) {
    this.#core = core
    this.isShort = isShort
    this.totals = core.totals.clone()
    this.attachments = new AttachmentStore(core)
    /** Only partitioned databases have partitions. */
    this.partitions = core.partitioned ? new TouchedPartitions(core) : null
    /** Rows for those who follow: see feed.js. @type {import('../feed/feed').Row[]} */
    this.rows = []
    /** Sequences whose change this commit replaces. @type {number[]} */
    this.removed = []
    /** Ids that come and go, for id-ranks.js. @type {Array<[string, number]> | null} */
    this.comings = core.idRanks.active ? [] : null
    /** True where a writer wants nothing written: see write.js. */
    this.abandoned = false
    /** Says how long versions are kept that others replace; null: not at all. @type {Retention | null} */
    this.retention = core.retention
    // Clocks may go back: the order of times is that of sequences.
    this.#time = Math.max(this.totals.time, core.options.now())
    /** Only databases with access by document have rows by principal. */
    this.access = core.byDocument ? new AccessRows(core, this.#operations) : null
    this.#bodies = new StoredBodies(core, this.totals, this.attachments, this.#operations)
    this.#versions = new VersionRows(core, this.totals, this.attachments, this.#operations)
    this.#counts = new DocumentCounts(this.totals, this.partitions, this.comings)
  }

  get options () { return this.#core.options }

  get accessKey () { return this.#core.accessKey }

  nextContent () { return this.#core.nextContent() }

  /**
   * Reads what the writers will need, in one go where single reads are dear.
   *
   * @param {string[]} keys
   * @returns {Promise<void> | undefined}
   */
  prefetch (keys) {
    return this.#core.keyspace.sync || keys.length === 0 ? undefined : this.#fetch(keys)
  }

  /** @param {string[]} keys */
  async #fetch (keys) {
    const values = await this.#core.keyspace.getMany(keys)
    for (let i = 0; i < keys.length; i++) this.#prefetched.set(keys[i], values[i])
  }

  /** @param {string} key */
  #read (key) {
    if (this.#core.keyspace.sync) return this.#core.keyspace.getSync(key)
    if (!this.#prefetched.has(key)) throw createError('INTERNAL', { reason: 'A commit read what it had not announced' })
    return this.#prefetched.get(key)
  }

  /** @param {string} id @param {boolean} [fresh] nothing is stored under it @returns {DocumentState} */
  document (id, fresh) {
    let state = this.#documents.get(id)
    if (state === undefined) {
      state = new DocumentState(id, fresh ? undefined : this.#read(this.#core.layout.document(id)))
      this.#documents.set(id, state)
    }
    return state
  }

  /**
   * The text of a local document, undefined for none.
   *
   * @param {string} id
   * @param {string | null} space see layout.js
   */
  local (id, space) {
    const key = this.#core.layout.localIn(id, space)
    return this.#locals.has(key) ? this.#locals.get(key) : this.#read(key)
  }

  /** @param {string} id @param {string | null} space @param {string | undefined} text undefined removes it */
  setLocal (id, space, text) {
    this.#locals.set(this.#core.layout.localIn(id, space), text)
  }

  /**
   * Whether a document's partition has all that it may have.
   *
   * @param {string} id
   */
  isFull (id) { return this.partitions !== null && this.partitions.isFull(id, (key) => this.#read(key)) }

  /**
   * For what is not a document: meta values.
   *
   * @param {Operation} operation
   */
  add (operation) { this.#operations.push(operation) }

  /**
   * The payload of a revision, undefined where it is not stored.
   *
   * @param {DocumentState} state
   * @param {string} rev
   */
  async payload (state, rev) {
    const fresh = state.fresh.get(rev)
    if (fresh !== undefined) return fresh
    if (rev === state.storedWinner) return /** @type {Stored} */ (state).stored.payload
    return this.#bodies.get(state.id, rev)
  }

  /** Returns the moment of now, before what this commit changes. */
  moment () {
    this.totals.time = this.#time
    return { since: this.totals.seq, sinceTime: this.#time }
  }

  /** @param {Retention | null} retention */
  setRetention (retention) {
    this.retention = retention
    this.add(storing(this.#core, retention))
  }

  /**
   * Drops versions of documents that need not be kept any more.
   *
   * @param {string[]} keys
   */
  async dropVersions (keys) { this.#forget(await this.#versions.drop(keys)) }

  /**
   * Notes the moment from which on everything is still kept.
   *
   * @param {Version[]} dropped
   */
  #forget (dropped) {
    if (this.retention === null || dropped.length === 0) return
    const { since, sinceTime } = this.retention
    const [seq, time] = dropped.reduce(([seq, time], version) => [Math.max(seq, version.until), Math.max(time, version.untilTime)], [since, sinceTime])
    if (seq > since) this.setRetention({ ...this.retention, since: seq, sinceTime: time })
  }

  /** Writes nothing of it: for a writer that is alone here. */
  abandon () { this.abandoned = true }

  /**
   * Removes leaves: see purge.js. No other writer may be here.
   *
   * @param {string} id
   * @param {string[]} revs
   * @returns {Promise<{ purged: string[], gone: string[], erased: boolean }>} those that were leaves,
   *   all that went, and whether nothing is left of the document
   */
  async purge (id, revs) {
    if (revs.length > 0) this.add(put(this.#core.layout.purge(++this.totals.purgeSeq), JSON.stringify([id, revs])))
    const state = this.document(id)
    if (!state.exists) return { purged: [], gone: [], erased: false }
    const { purged, gone } = state.purge(revs)
    if (purged.length === 0) return { purged, gone, erased: false }
    for (const rev of gone) {
      if (rev === state.storedWinner) await this.attachments.count(/** @type {Stored} */ (state).stored.payload, -1)
      else await this.dropRevision(id, rev)
    }
    this.#forget(await this.#versions.purge(state, gone))
    if (state.exists) await this.#recordHistory(state, !gone.includes(/** @type {string} */ (state.storedWinner)))
    else this.#erase(/** @type {Stored} */ (state))
    return { purged, gone, erased: !state.exists }
  }

  /**
   * Writes everything; throws, with nothing changed, where the level does.
   *
   * @param {'half' | 'all'} [kept] how much it may take of what a full level keeps for deleting
   * @returns {Promise<void> | undefined} undefined where it is done already
   */
  write (kept) {
    const settled = this.#settleAll(this.#documents.values())
    return settled === undefined && this.#isOfDocumentsAlone ? this.#finish(kept) : this.#writeRest(settled, kept)
  }

  /** Whether nothing but documents and local documents is written. */
  get #isOfDocumentsAlone () { return this.access === null && this.partitions === null && !this.attachments.touched }

  /** @param {Promise<void> | undefined} settled @param {'half' | 'all'} [kept] */
  async #writeRest (settled, kept) {
    await settled
    await this.access?.finish()
    if (this.attachments.touched) this.#addAttachments(await this.attachments.finish())
    if (this.partitions !== null && this.#isChanged) for (const operation of await this.partitions.operations()) this.#operations.push(operation)
    await this.#finish(kept)
  }

  get #isChanged () { return this.#operations.length > 0 || this.#locals.size > 0 }

  /** @param {'half' | 'all'} [kept] */
  #finish (kept) {
    if (!this.#isChanged) return undefined
    for (const [key, text] of this.#locals) this.#operations.push(text === undefined ? del(key) : put(key, text))
    this.#operations.push(put(this.#core.layout.state, this.totals.encode()))
    return this.#core.keyspace.write(this.#operations, { kept })
  }

  /**
   * @param {MapIterator<DocumentState>} states
   * @returns {Promise<void> | undefined} a promise where something is read, or it takes long
   */
  #settleAll (states) {
    const turn = new Turn()
    for (let next = states.next(); !next.done; next = states.next()) {
      const settled = this.#settle(next.value)
      if (settled !== undefined || turn.isLong) return this.#settleRest(states, turn, settled)
    }
    return undefined
  }

  /** @param {MapIterator<DocumentState>} states @param {Turn} turn @param {void | Promise<void>} settled */
  async #settleRest (states, turn, settled) {
    await settled
    for (const state of states) {
      if (turn.isLong) await turn.end()
      await this.#settle(state)
    }
  }

  /**
   * Decides where each body goes: the winner's inline, the others' beside it or nowhere. Only
   * unusual histories make it wait for a read.
   *
   * @param {DocumentState} state
   * @returns {void | Promise<void>}
   */
  #settle (state) {
    if (!state.touched) return // purged ones are settled
    if (!state.isPlainEdit || this.#hasOldBodies(state) || this.#hasOldVersions(state)) return this.#settleHistory(state, /** @type {string} */ (state.winner))
    if (state.stored !== null && !state.compacting) {
      this.#bodies.store(state.id, /** @type {Stored} */ (state).storedWinner, state.stored.payload)
    }
    this.#record(state, /** @type {string} */ (state.fresh.get(/** @type {string} */ (state.winner))))
  }

  /** @param {DocumentState} state @param {string} winner */
  async #settleHistory (state, winner) {
    const cut = new Set(state.cut)
    // First, as a revision that was cut off may have come again.
    await this.#dropRevisions(state, cut)
    if (state.storedWinner !== null && (state.storedWinner !== winner || cut.has(winner))) await this.#demote(/** @type {Stored} */ (state), cut)
    for (const [rev, payload] of state.fresh) {
      if (rev === winner) await this.attachments.count(payload, 1)
      else if (this.#isKept(state, rev)) {
        await this.attachments.count(payload, 1)
        this.#bodies.store(state.id, rev, payload)
      }
    }
    if (this.#hasOldVersions(state)) this.#forget(await this.#versions.expire(state.id, this.retention, this.#time))
    await this.#recordHistory(state, true)
  }

  /** @param {DocumentState} state @param {boolean} keeps whether the version that is replaced may be kept */
  async #recordHistory (state, keeps) {
    if (keeps && this.#keepsVersion(state)) await this.#versions.countAttachments(/** @type {Stored} */ (state))
    this.#record(state, await this.#winnersPayload(/** @type {Present} */ (state)), keeps)
  }

  /** Whether the version that is replaced is kept. @param {DocumentState} state */
  #keepsVersion (state) { return this.retention !== null && state.stored !== null }

  /** @param {DocumentState} state @param {string} rev */
  #isKept (state, rev) {
    return state.compacting ? state.isLeaf(rev) : state.has(rev)
  }

  /**
   * Moves the body of the winner that was out of the document record.
   *
   * @param {Stored} state
   * @param {Set<string>} cut
   */
  async #demote (state, cut) {
    const rev = state.storedWinner
    if (!cut.has(rev) && this.#isKept(state, rev)) this.#bodies.store(state.id, rev, state.stored.payload)
    else await this.attachments.count(state.stored.payload, -1)
  }

  /**
   * Drops bodies stored earlier that stemming or automatic compaction does away with.
   *
   * @param {DocumentState} state
   * @param {Set<string>} cut
   */
  async #dropRevisions (state, cut) {
    const dropped = state.compacting ? await this.#bodies.superseded(state) : cut
    for (const rev of dropped) if (rev !== state.storedWinner) await this.dropRevision(state.id, rev)
  }

  /**
   * Whether there may be bodies that earlier edits left, which automatic compaction did not see.
   *
   * @param {DocumentState} state
   */
  #hasOldBodies (state) {
    return state.compacting && this.totals.bodies > 0 && state.stored !== null && state.stored.rest !== ''
  }

  /**
   * Whether there may be versions that automatic compaction drops.
   *
   * @param {DocumentState} state
   */
  #hasOldVersions (state) {
    return state.compacting && this.totals.versions > 0 && state.stored !== null
  }

  /**
   * Drops the body of a revision that is not the winner, if it is stored.
   *
   * @param {string} id
   * @param {string} rev
   */
  async dropRevision (id, rev) { await this.#bodies.drop(id, rev) }

  /** @param {Present} state */
  async #winnersPayload (state) {
    const payload = /** @type {string} */ (await this.payload(state, state.winner))
    if (state.winner !== state.storedWinner && !state.fresh.has(state.winner)) {
      // A losing leaf wins now: its body moves into the document record.
      this.#bodies.take(state.id, state.winner, payload)
    }
    return payload
  }

  /** @param {DocumentState} state @param {string} payload @param {boolean} [keeps] */
  #record (state, payload, keeps = true) {
    const { layout } = this.#core
    const seq = this.totals.seq = Math.max(this.totals.seq + 1, state.leastSeq)
    this.totals.time = this.#time
    const { leaves, rest } = state.encode()
    const record = encodeDocument(state.deleted, seq, leaves[0], rest, encodeOrigin(this.#time, state.user), payload)
    if (keeps && this.#keepsVersion(state)) this.#versions.keep(/** @type {Stored} */ (state), seq)
    if (state.stored !== null) this.#removeChange(/** @type {Stored} */ (state))
    this.#operations.push(
      put(layout.document(state.id), record),
      put(layout.sequence(seq), encodeChange(state.deleted, leaves, state.id))
    )
    this.#counts.add(state, record, payload)
    const told = this.access?.record(state, payload, seq)
    this.rows.push({ seq, id: state.id, deleted: state.deleted, leaves, record, told })
  }

  /** @param {Stored} state */
  #removeChange (state) {
    this.#operations.push(del(this.#core.layout.sequence(state.stored.seq)))
    this.removed.push(state.stored.seq)
  }

  /**
   * The sequence goes on, so that who asks by it sees that something has changed.
   *
   * @param {Stored} state
   */
  #erase (state) {
    this.totals.seq++
    this.totals.time = this.#time
    this.access?.erase(state)
    this.#removeChange(state)
    this.#operations.push(del(this.#core.layout.document(state.id)))
    this.#counts.remove(state)
  }

  /** @param {import('../attachments/attachment-store').Finished} finished */
  #addAttachments ({ operations, bytes }) {
    for (const operation of operations) this.#operations.push(operation)
    this.totals.attachments += bytes
  }
}

module.exports = { Commit }
