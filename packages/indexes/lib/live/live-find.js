'use strict'

const { isObject, stringifyInTurns, toJson } = require('@potoroo/document-store')
const { Conditions } = require('../mango/plan/conditions')
const { assertObject, parseFind } = require('../mango/request/find-request')
const { project } = require('../mango/request/projection')
const { mangoError } = require('../mango/selector/mango-error')
const { mangoAccess } = require('./access')
const { openLive } = require('./live-queries')

/**
 * @import { Mango } from '../mango/run/mango'
 * @import { DocumentStore, MemberStore } from '@potoroo/document-store'
 * @import { LiveEvent, LiveQuery } from './live-query'
 * @import { LiveRow } from './live-table'
 * @import { LiveSource } from './live-queries'
 */

/** Documents that the result of a live query may have, where nothing else is said. */
const MOST = 100_000

/** Events that wait for a reader; one who falls behind goes on reading from the store. */
const MOST_WAITING = 2048

/** UTF-16 units of a document that is shown in turns. */
const LARGE = 256 * 1024

/**
 * Members of a find that a live one does not take: the part of a result that a page is; what no change tells; and a result
 * that is older than what follows it.
 *
 * @type {Record<string, (value: any) => boolean>}
 */
const REFUSED = {
  limit: () => true,
  skip: value => value !== 0,
  conflicts: value => value !== false,
  execution_stats: value => value !== false,
  update: value => value !== true,
  stale: value => value !== false && value !== 'false'
}

/** A find that goes on: its events as JSON. */
class LiveFind {
  #query
  #fields

  /** @param {LiveQuery} query @param {string[][] | undefined} fields */
  constructor (query, fields) {
    this.#query = query
    this.#fields = fields
  }

  /** A client goes on here that has had all that was given. */
  get bookmark () { return this.#query.bookmark }

  /** Whether its first result was given. */
  get isReady () { return this.#query.isReady }

  /** @returns {AsyncGenerator<Array<{ text: string, bookmark: string }>>} */
  async * [Symbol.asyncIterator] () {
    for await (const events of this.#query) {
      const page = []
      for (const event of events) {
        const bookmark = this.#query.bookmarkOf(event.place)
        const doc = event.row === undefined || event.type === 'leave' ? '' : this.#show(event.row)
        page.push({ text: textOf(event, typeof doc === 'string' ? doc : await doc, bookmark), bookmark })
      }
      yield page
    }
  }

  end () { this.#query.end() }

  /** @param {LiveRow} row @returns {string | Promise<string>} */
  #show (row) {
    if (this.#fields === undefined) return (row.text ??= toJson(row.document))
    const shown = project(row.doc, this.#fields)
    return row.document.body.length > LARGE ? stringifyInTurns(shown) : JSON.stringify(shown)
  }
}

/** @param {LiveEvent} event @param {string} doc @param {string} bookmark */
function textOf ({ type, id }, doc, bookmark) {
  return `{"type":"${type}"${id === undefined ? '' : `,"id":${JSON.stringify(id)}`}${doc === '' ? '' : `,"doc":${doc}`},"bookmark":"${bookmark}"}`
}

/**
 * Begins a live find: see index.d.ts.
 *
 * @param {Mango} mango
 * @param {DocumentStore} database
 * @param {any} body
 * @param {{ source?: LiveSource, reader?: MemberStore, most?: number, mostWaiting?: number, signal?: AbortSignal }} [options]
 *   mostWaiting: events for a reader who is slow
 * @returns {Promise<LiveFind>}
 */
async function liveFind (mango, database, body, { reader, source = reader?.liveSource ?? database, most = MOST, mostWaiting = MOST_WAITING, signal } = {}) {
  assertObject(body)
  const { known = null, ...find } = body
  refuse(find, known, most)
  const request = parseFind(find)
  const { partition } = request.options
  // As in `search`: conditions of which there is none find nothing.
  const isNothing = 'parts' in request.node && request.node.op !== '$nor' && request.node.parts.length === 0
  const query = openLive(source, {
    search: async () => (await mango.search(database, { ...find, fields: undefined, bookmark: undefined, limit: Number.MAX_SAFE_INTEGER }, undefined, reader)).rows(),
    accepts: isNothing ? () => false : request.accepts,
    access: isNothing ? null : mangoAccess(request.node, new Conditions(request.node)),
    partition: partition === '' ? null : `${partition}:`,
    bookmark: request.bookmark,
    known: known === null ? null : Object.entries(known),
    most,
    mostWaiting,
    signal
  })
  return new LiveFind(await query.begin(), request.fields)
}

/** @param {Record<string, any>} find @param {any} known @param {number} most */
function refuse (find, known, most) {
  const name = Object.keys(find).find(member => Object.hasOwn(REFUSED, member) && REFUSED[member](find[member]))
  if (name !== undefined) throw mangoError('invalid_key', `A live query takes no ${name}: see the documentation of live queries`)
  if (known === null) return
  if (!isObject(known) || !Object.values(known).every(rev => rev === null || typeof rev === 'string')) throw mangoError('invalid_key', 'known is an object of ids and revisions')
  if (Object.keys(known).length > most) throw mangoError('invalid_key', `known has at most ${most} ids`)
}

module.exports = { liveFind }
