'use strict'

const { createError } = require('@potoroo/errors')
const { setTimeout: wait } = require('node:timers/promises')
const { formats } = require('../../changes/format')
const { feedOf, lastOf, silenceOf } = require('../../changes/query')
const { jsonType } = require('../../http/response')
const { ResponseWriter } = require('../../http/response-writer')
const { SELF } = require('../ask')
const { designIds, isDesign } = require('../design-copies')
const { PlainPosition, ShardsPosition } = require('./position')
const { RowStream } = require('../../merging/row-stream')
const { numberOf, parseVector } = require('../sequence')
const { listen } = require('./tail')

/** @typedef {import('../coordinator').Coordinator} Coordinator */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */

/** Parameters that are the coordinator's, and not passed on to shards. */
const OWN = ['feed', 'since', 'last-event-id', 'limit', 'timeout', 'heartbeat', 'seq_interval', 'callback']

/** A shard's row begins so: its sequence, and the document's id. */
const ROW = /^\{"seq":"(\d+-[0-9a-f]+)","id":("(?:[^"\\]|\\.)*")/

/** Parameters that say how a change is shown, whoever asks: feeds with the same ones follow a database together. */
const SHOWN = ['style', 'include_docs', 'conflicts', 'attachments', 'att_encoding_info']

/** How long until a shard is asked again that could not answer, milliseconds. */
const PAUSE = 500

/** The limit where none is asked for. */
const UNLIMITED = 1e15

/** Headers that are of the client's connection, or of a body that is read. */
const NOT_TOLD = new Set(['authorization', 'cookie', 'connection', 'content-length', 'content-encoding', 'transfer-encoding', 'expect', 'last-event-id', 'if-none-match', 'upgrade'])

/** The headers of a request that functions which filter are told. @param {import('../../dispatch/request').PotorooRequest} req @returns {Record<string, any>} */
function toldHeaders ({ headers }) {
  return Object.fromEntries(Object.entries(headers).filter(([name, value]) => value !== undefined && !NOT_TOLD.has(name) && !name.startsWith(':')))
}

/** Sends the changes of one shard after those of another, then of all as they happen. Each row has the sequences of all shards up to it. */
class ShardedFeed {
  #coordinator
  #res
  #feed
  #format
  #limit
  #left
  #interval
  #count = 0
  /** Counts what each shard has not told. @type {number[]} */
  #pending = []
  /** Rows that each shard is asked for beyond the limit: backwards nothing can be asked again from where it ended. */
  #spare = 0
  /** The ids of design documents, once they are needed. @type {string[] | undefined} */
  #designs
  /** @type {import('./position').Position} */
  #position = /** @type {any} */ (undefined)
  /** @type {ResponseWriter} */
  #out = /** @type {any} */ (undefined)
  /** While it follows. @type {Set<Awaited<ReturnType<typeof listen>>>} */
  #listeners = new Set()
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  #turn = Promise.resolve()
  #isOver = false

  /** @param {Coordinator} coordinator @param {PotorooResponse} res */
  constructor (coordinator, res) {
    const { args } = coordinator.req
    this.#coordinator = coordinator
    this.#res = res
    this.#feed = feedOf(args)
    if (this.#feed === 'replication') throw createError('NOT_IMPLEMENTED', { reason: 'A database of several shards has no feed of whole revisions' })
    this.#format = formats[this.#feed]
    this.#limit = this.#left = args.limit ?? UNLIMITED
    this.#interval = args.seq_interval ?? 1
  }

  async run () {
    const { req } = this.#coordinator
    this.#position = await this.#since()
    if (this.#isBackwards && this.#limit < UNLIMITED) this.#spare = (await this.#designIds()).length
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

  get #isBackwards () { return this.#coordinator.req.args.descending === true && this.#coordinator.database.q > 1 }

  async #designIds () {
    this.#designs ??= await designIds(this.#coordinator)
    return this.#designs
  }

  /** Finds the place to begin at. @returns {Promise<import('./position').Position>} */
  async #since () {
    const { database, req } = this.#coordinator
    const { args, headers, search } = req
    const text = (this.#feed === 'eventsource' ? headers['last-event-id'] : undefined) ?? lastOf(args, search) ?? '0'
    if (database.q === 1) return new PlainPosition(text)
    if (text !== 'now' && text !== '"now"') return new ShardsPosition(database, parseVector(database, text))
    return new ShardsPosition(database, (await this.#coordinator.askAllJson({ path: '' })).map(info => numberOf(info.update_seq)))
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
    const { req } = this.#coordinator
    const search = this.#search()
    search.set('since', this.#position.since(index))
    if (this.#limit < UNLIMITED) search.set('limit', String(this.#limit - this.#count + this.#spare))
    for (const name of Object.keys(more)) search.set(name, more[name])
    const body = req.body === undefined ? undefined : JSON.stringify(req.body)
    return this.#coordinator.askOrFail(index, { method: body === undefined ? 'GET' : 'POST', path: `/_changes?${search}`, body, headers: toldHeaders(req), signal: this.#coordinator.leaving })
  }

  /** The parameters that are asked of each shard. */
  #search () {
    const search = new URLSearchParams(this.#coordinator.req.search)
    for (const name of OWN) search.delete(name)
    return search
  }

  /** The changes until now. @param {RowStream} first of the first shard */
  async #sendPast (first) {
    await this.#sendPastOf(0, first)
    for (let index = 1; index < this.#coordinator.shards.length && !this.#out.closed; index++) await this.#sendPastOf(index)
  }

  /** @param {number} index @param {RowStream} [first] */
  async #sendPastOf (index, first) {
    let stream = first ?? new RowStream(await this.#open(index), 'results')
    while (await this.#sendRows(index, stream)) stream = new RowStream(await this.#open(index), 'results')
  }

  /**
   * @param {number} index
   * @param {RowStream} stream
   * @returns {Promise<boolean>} whether there is more, as copies took places of the limit
   */
  async #sendRows (index, stream) {
    let left = this.#limit - this.#count
    let copies = 0
    let untold = 0
    try {
      while (await stream.fill()) {
        left--
        const told = this.#count
        if (!this.#tell(index, stream.take())) copies++
        else if (told === this.#count) untold++
        if (this.#out.full) await this.#out.flush()
        else if (stream.peek() === undefined) await this.#out.pause()
        if (this.#out.closed) return false
      }
    } finally {
      stream.close()
    }
    const { last_seq: last, pending } = stream.members
    this.#position.move(index, last)
    if (this.#isBackwards) {
      const hidden = this.#designs?.filter(id => !this.#isHome(id, index)).length ?? 0
      this.#pending[index] = untold + Math.max(0, pending - Math.max(0, hidden - copies))
      return false
    }
    if (copies > 0 && left === 0 && pending > 0) return true
    this.#pending[index] = pending === 0 ? 0 : pending - await this.#pendingCopies(index)
    return false
  }

  /** Counts copies of design documents among what a shard has not told. @param {number} index */
  async #pendingCopies (index) {
    if (this.#coordinator.database.q === 1) return 0
    const copies = (await this.#designIds()).filter(id => !this.#isHome(id, index))
    if (copies.length === 0) return 0
    const path = `/_changes?filter=_doc_ids&since=${this.#position.since(index)}`
    const { results } = await (await this.#coordinator.askOrFail(index, { method: 'POST', path, body: JSON.stringify({ doc_ids: copies }), user: SELF })).json()
    return results.length
  }

  /** Tells a row, unless the limit is reached. @param {number} index @param {string} row of the shard @returns {boolean} false: it is a copy of a design document */
  #tell (index, row) {
    const parts = ROW.exec(row)
    // Another server has made it again, of more shards or of fewer.
    if (parts === null) throw createError('UNAVAILABLE')
    const [start, sequence, id] = parts
    this.#position.move(index, sequence)
    if (id.startsWith('"_design/') && !this.#isHome(JSON.parse(id), index)) return false
    if (this.#count === this.#limit) return true
    const seq = this.#left-- % this.#interval === 0 ? `"${this.#position.text}"` : 'null'
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
    const end = () => this.#endFollowing()
    this.#timer = setTimeout(() => {
      if (!heartbeat) return end()
      this.#out.offer(this.#format.heartbeat)
      this.#timer?.refresh()
    }, silence)
    this.#out.onClose(end)
    service.closing.addEventListener('abort', end)
    if (this.#out.closed || service.closing.aborted) end()
    try {
      await Promise.all(shards.map((_, index) => this.#followShard(index)))
    } finally {
      end()
      clearTimeout(this.#timer)
      this.#out.offClose(end)
      service.closing.removeEventListener('abort', end)
    }
  }

  #endFollowing () {
    this.#isOver = true
    for (const listener of this.#listeners) listener.end()
  }

  /** Follows it to the end, whoever has it, and waits while nobody has. @param {number} index */
  async #followShard (index) {
    while (!this.#isOver) {
      try {
        await this.#hearShard(index)
      } catch (error) {
        // The database is gone, or whoever asks again is told what is wrong.
        if (error.status !== 503) return this.#endFollowing()
        await wait(PAUSE, undefined, { ref: false })
      }
    }
  }

  /** Hears of its changes until it falls behind, or its owner is another one. @param {number} index */
  async #hearShard (index) {
    const listener = await this.#listen(index)
    this.#listeners.add(listener)
    try {
      // Changes that came before it was there are read.
      if (listener.after > this.#position.numberAt(index)) await this.#inTurn(() => this.#catchUp(index))
      if (this.#isOver) listener.end()
      for (let told = await listener.next(); told !== null; told = await listener.next()) await this.#hear(index, told)
    } finally {
      this.#listeners.delete(listener)
      listener.end()
    }
    await this.#inTurn(() => this.#catchUp(index))
  }

  /** @param {number} index */
  #listen (index) {
    const { req, service, shards } = this.#coordinator
    const since = this.#position.since(index)
    const [number, instance] = since.split('-')
    const more = { feed: 'continuous', heartbeat: '60000' }
    if (req.body !== undefined || req.args.filter !== undefined) return listen(service, null, Number(number), () => this.#open(index, more))
    const search = new URLSearchParams()
    for (const name of SHOWN) if (req.args[name] !== undefined) search.set(name, String(req.args[name]))
    const path = `/_changes?${new URLSearchParams({ ...more, since })}&${search}`
    return listen(service, `${instance} ${shards[index]} ${search}`, Number(number), () => this.#coordinator.ask(index, { path, user: SELF }))
  }

  /** @param {number} index */
  async #catchUp (index) {
    if (this.#isOver) return
    const before = this.#count
    await this.#sendPastOf(index)
    await this.#sent(before)
  }

  /** @param {number} index @param {import('./tail').Told[]} told */
  #hear (index, told) {
    return this.#inTurn(async () => {
      const before = this.#count
      for (const { number, row } of told) {
        if (number > this.#position.numberAt(index) && this.#count < this.#limit && !this.#isOver) this.#tell(index, row)
      }
      await this.#sent(before)
    })
  }

  /** Something was told. @param {number} before rows until then */
  async #sent (before) {
    if (this.#count === before) return
    await this.#out.flush()
    this.#timer?.refresh()
    if (this.#count >= this.#limit || this.#feed === 'longpoll') this.#endFollowing()
  }

  /** Rows of one shard are taken at a time. @param {() => Promise<void>} work */
  #inTurn (work) {
    const done = this.#turn.then(async () => { if (!this.#isOver) await work() })
    this.#turn = done.catch(() => {})
    return done
  }

  #end () {
    const { req, service } = this.#coordinator
    if (service.closing.aborted && req.httpVersionMajor === 1) this.#res.on('finish', () => req.socket.end())
    this.#out.push(this.#format.close(`"${this.#position.text}"`, `,"pending":${this.#pending.reduce((sum, each) => sum + each, 0)}`))
    this.#out.end()
  }
}

module.exports = { ShardedFeed }
