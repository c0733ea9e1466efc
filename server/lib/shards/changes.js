'use strict'

const { formats } = require('../changes/format')
const { feedOf, lastOf, silenceOf } = require('../changes/query')
const { requireObject } = require('../documents/input')
const { jsonType } = require('../http/response')
const { ResponseWriter } = require('../http/response-writer')
const { numberOf: counterOf } = require('../stats/metrics')
const { SELF } = require('./ask')
const { FollowedShards } = require('./followed-shards')
const { designIds, isDesign } = require('./design-copies')
const { RowStream } = require('../merging/row-stream')
const { formatVector, numberOf, ofShard, parseVector } = require('./sequence')

/** @typedef {import('./coordinator').Coordinator} Coordinator */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */

const FOLLOWERS = counterOf('couchdb.httpd.clients_requesting_changes')

/** Parameters that are the coordinator's, and not passed on to shards. */
const OWN = ['feed', 'since', 'last-event-id', 'limit', 'timeout', 'heartbeat', 'seq_interval', 'callback']

/** A shard's row begins so: its sequence, and the document's id. */
const ROW = /^\{"seq":"(\d+)-[0-9a-f]+","id":("(?:[^"\\]|\\.)*")/

/** The limit where none is asked for. */
const UNLIMITED = 1e15

/**
 * `GET` and `POST /{db}/_changes`: the changes of one shard after those of another, then of all as they happen. Each
 * row has the sequences of all shards up to it.
 *
 * @param {Coordinator} coordinator
 * @param {PotorooResponse} res
 */
async function changes (coordinator, res) {
  const { req, service } = coordinator
  if (req.body !== undefined) requireObject(req.body)
  const feed = new ShardedFeed(coordinator, res)
  service.counts.count(FOLLOWERS)
  try {
    await feed.run()
  } finally {
    service.counts.count(FOLLOWERS, -1)
  }
}

/** Headers that are of the client's connection, or of a body that is read. */
const NOT_TOLD = new Set(['authorization', 'cookie', 'connection', 'content-length', 'content-encoding', 'transfer-encoding', 'expect', 'last-event-id', 'if-none-match', 'upgrade'])

/** The headers of a request that functions which filter are told. @param {import('../dispatch/request').PotorooRequest} req @returns {Record<string, any>} */
function toldHeaders ({ headers }) {
  return Object.fromEntries(Object.entries(headers).filter(([name, value]) => value !== undefined && !NOT_TOLD.has(name) && !name.startsWith(':')))
}

class ShardedFeed {
  #coordinator
  #res
  #feed
  #format
  #limit
  #left
  #interval
  #count = 0
  #pending = 0
  /** The ids of design documents, once they are needed. @type {string[] | undefined} */
  #designs
  /** @type {number[]} */
  #vector = []
  /** @type {ResponseWriter} */
  #out = /** @type {any} */ (undefined)

  /** @param {Coordinator} coordinator @param {PotorooResponse} res */
  constructor (coordinator, res) {
    const { args } = coordinator.req
    this.#coordinator = coordinator
    this.#res = res
    this.#feed = feedOf(args)
    this.#format = formats[this.#feed]
    this.#limit = this.#left = args.limit ?? UNLIMITED
    this.#interval = args.seq_interval ?? 1
  }

  async run () {
    const { req } = this.#coordinator
    this.#vector = await this.#since()
    const past = this.#open(0)
    // A fault of the question has a status of its own.
    const first = new RowStream(await past, 'results')
    this.#out = this.#start()
    if (req.method === 'HEAD') {
      first.close()
      return this.#out.end()
    }
    this.#out.push(this.#format.open)
    await this.#sendPast(first)
    const isWaiting = this.#feed === 'longpoll' ? this.#count === 0 : this.#feed !== 'normal'
    if (isWaiting && !req.args.descending && this.#count < this.#limit && !this.#out.closed) await this.#follow()
    this.#end()
  }

  /** The sequence of each shard to begin behind. */
  async #since () {
    const { database, req } = this.#coordinator
    const { args, headers, search } = req
    const text = (this.#feed === 'eventsource' ? headers['last-event-id'] : undefined) ?? lastOf(args, search) ?? '0'
    if (text !== 'now' && text !== '"now"') return parseVector(database, text)
    return (await this.#coordinator.askAllJson({ path: '' })).map(info => numberOf(info.update_seq))
  }

  #start () {
    const { req } = this.#coordinator
    /** @type {Record<string, string>} */
    const headers = this.#feed === 'eventsource'
      ? { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' }
      : { 'Content-Type': jsonType(req), 'Cache-Control': 'must-revalidate' }
    if (req.httpVersionMajor === 1 && (this.#feed === 'continuous' || this.#feed === 'eventsource')) headers.Connection = 'close'
    return new ResponseWriter(this.#res, headers)
  }

  /**
   * Asks a shard for its changes.
   *
   * @param {number} index
   * @param {Record<string, string>} [more] parameters
   */
  #open (index, more = {}) {
    const { database, req } = this.#coordinator
    const search = new URLSearchParams(req.search)
    for (const name of OWN) search.delete(name)
    search.set('since', ofShard(database, this.#vector[index]))
    if (this.#limit < UNLIMITED) search.set('limit', String(this.#limit - this.#count))
    for (const name of Object.keys(more)) search.set(name, more[name])
    const body = req.body === undefined ? undefined : JSON.stringify(req.body)
    return this.#coordinator.askOrFail(index, { method: body === undefined ? 'GET' : 'POST', path: `/_changes?${search}`, body, headers: toldHeaders(req) })
  }

  /** The changes until now. @param {RowStream} first of the first shard */
  async #sendPast (first) {
    for (let index = 0; index < this.#vector.length && !this.#out.closed; index++) {
      let stream = index === 0 ? first : new RowStream(await this.#open(index), 'results')
      while (await this.#sendRows(index, stream)) stream = new RowStream(await this.#open(index), 'results')
    }
  }

  /**
   * @param {number} index
   * @param {RowStream} stream
   * @returns {Promise<boolean>} whether there is more, as copies took places of the limit
   */
  async #sendRows (index, stream) {
    let left = this.#limit - this.#count
    let copies = 0
    try {
      while (await stream.fill()) {
        left--
        if (!this.#tell(index, stream.take())) copies++
        if (this.#out.full) await this.#out.flush()
        else if (stream.peek() === undefined) await this.#out.pause()
        if (this.#out.closed) return false
      }
    } finally {
      if (this.#out.closed) stream.close()
    }
    const { last_seq: last, pending } = stream.members
    this.#vector[index] = numberOf(last)
    if (copies > 0 && left === 0 && pending > 0) return true
    this.#pending += pending === 0 ? 0 : pending - await this.#pendingCopies(index)
    return false
  }

  /** Counts copies of design documents among what a shard has not told. @param {number} index */
  async #pendingCopies (index) {
    const { database } = this.#coordinator
    this.#designs ??= await designIds(this.#coordinator)
    const copies = this.#designs.filter(id => !this.#isHome(id, index))
    if (copies.length === 0) return 0
    const path = `/_changes?filter=_doc_ids&since=${ofShard(database, this.#vector[index])}`
    const { results } = await (await this.#coordinator.askOrFail(index, { method: 'POST', path, body: JSON.stringify({ doc_ids: copies }), user: SELF })).json()
    return results.length
  }

  /** @param {number} index @param {string} row of the shard @returns {boolean} whether it is told: copies of design documents are not */
  #tell (index, row) {
    const { database } = this.#coordinator
    const [start, sequence, id] = /** @type {RegExpExecArray} */ (ROW.exec(row))
    this.#vector[index] = Number(sequence)
    if (id.startsWith('"_design/') && !this.#isHome(JSON.parse(id), index)) return false
    const seq = this.#left-- % this.#interval === 0 ? `"${formatVector(database, this.#vector)}"` : 'null'
    this.#count++
    this.#out.push(this.#format.row(`{"seq":${seq},"id":${id}${row.slice(start.length)}`, seq, this.#count === 1))
    return true
  }

  /** @param {string} id @param {number} index */
  #isHome (id, index) { return !isDesign(id) || this.#coordinator.shardOf(id) === index }

  /** The changes as they happen. */
  async #follow () {
    const { req, service, shards } = this.#coordinator
    const { heartbeat, silence } = silenceOf(req)
    if (this.#count === 0) this.#out.push(this.#format.greeting)
    await this.#out.flush()
    const answers = await Promise.all(shards.map((_, index) => this.#open(index, { feed: 'continuous', heartbeat: '60000' })))
    const followed = new FollowedShards(answers, async (index, rows) => {
      const before = this.#count
      for (const row of rows) if (this.#count < this.#limit) this.#tell(index, row)
      await this.#out.flush()
      timer.refresh()
      return this.#count < this.#limit && !(this.#feed === 'longpoll' && this.#count > before)
    })
    const end = () => followed.end()
    const timer = setTimeout(() => {
      if (!heartbeat) return end()
      this.#out.offer(this.#format.heartbeat)
      timer.refresh()
    }, silence)
    this.#out.onClose(end)
    service.closing.addEventListener('abort', end)
    if (this.#out.closed || service.closing.aborted) end()
    try {
      await followed.run()
    } finally {
      clearTimeout(timer)
      this.#out.offClose(end)
      service.closing.removeEventListener('abort', end)
    }
  }

  #end () {
    const { database, req, service } = this.#coordinator
    if (service.closing.aborted && req.httpVersionMajor === 1) this.#res.on('finish', () => req.socket.end())
    this.#out.push(this.#format.close(`"${formatVector(database, this.#vector)}"`, this.#pending))
    this.#out.end()
  }
}

/** @type {Record<string, import('./ways').Way>} */
module.exports = { changes: { answer: changes } }
