'use strict'

const { badRequest } = require('@potoroo/errors')
const { silenceOf } = require('../../changes/query')
const { jsonType, notModified } = require('../../http/response')
const { ResponseWriter } = require('../../http/response-writer')
const { formatSequence, parseSequence } = require('../../databases/sequence')

/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {import('../../databases/database-updates').DatabaseUpdates} DatabaseUpdates */
/** @typedef {import('../../databases/stored-updates').UpdateEvent} UpdateEvent */

/** Milliseconds: the longest silence, and what `heartbeat=true` means. */
const SILENCE = 60000

/** @param {string} text */
function whole (text) {
  if (/^\+?\d{1,15}$/.test(text)) return Number(text)
  throw badRequest('invalid_integer')
}

const query = {
  /** @param {string} text */
  feed (text) {
    if (['normal', 'longpoll', 'continuous', 'eventsource'].includes(text)) return text
    throw badRequest('Supported `feed` types: normal, continuous, longpoll, eventsource')
  },
  since: 'string',
  limit: whole,
  timeout: whole,
  /** @param {string} text */
  heartbeat: text => text === 'true' || (text === 'false' ? undefined : whole(text)),
  /** @param {string} text */
  descending: text => text === 'true'
}

/** @typedef {{ open: string, row: (row: string, first: boolean, seq: string) => string, close: (last: string) => string, heartbeat: string }} Form */

/** How feeds look, as those of `_changes`. @type {Form} */
const list = {
  open: '{"results":[\n',
  /** @param {string} row @param {boolean} first */
  row: (row, first) => first ? row : ',\n' + row,
  /** @param {string} last */
  close: last => `\n],\n"last_seq":"${last}"}\n`,
  heartbeat: '\n'
}

/** @type {Record<string, Form>} */
const forms = {
  normal: list,
  longpoll: list,
  continuous: { open: '', row: (/** @type {string} */ row) => row + '\n', close: (/** @type {string} */ last) => `{"last_seq":"${last}"}\n`, heartbeat: '\n' },
  eventsource: { open: '', row: (/** @type {string} */ row, /** @type {boolean} */ _, /** @type {string} */ seq) => `data: ${row}\nid: "${seq}"\n\n`, close: () => '', heartbeat: 'event: heartbeat\ndata: \n\n' }
}

/**
 * `GET /_db_updates`: the last events of each database, and with a feed those to come.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function databaseUpdates (req, res) {
  const { updates } = req.service
  const { feed = 'normal', descending = false, limit = Infinity } = req.args
  const since = sinceOf(req, updates)
  const etag = `"${formatSequence(updates, updates.seq)}"`
  if (feed === 'normal' && notModified(res, etag)) return
  const out = new ResponseWriter(res, headersOf(req, feed, etag))
  if (req.method === 'HEAD') return out.end()
  const writer = new UpdatesWriter(out, updates, forms[feed], since, limit)
  const isLive = feed === 'continuous' || feed === 'eventsource'
  await writer.write(descending && !isLive)
  if ((isLive || (feed === 'longpoll' && writer.count === 0)) && limit > 0) await follow(req, res, writer, isLive)
  writer.end()
}

/** @param {PotorooRequest} req @param {string} feed @param {string} etag */
function headersOf (req, feed, etag) {
  if (feed === 'eventsource') return { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' }
  const headers = { 'Content-Type': jsonType(req), 'Cache-Control': 'must-revalidate' }
  return feed === 'normal' ? { ...headers, ETag: etag } : headers
}

/** @param {PotorooRequest} req @param {DatabaseUpdates} updates */
function sinceOf ({ args, headers }, updates) {
  const since = args.since ?? (args.feed === 'eventsource' ? headers['last-event-id'] : undefined) ?? '0'
  return since === 'now' || since === '"now"' ? updates.seq : parseSequence(updates, since)
}

/**
 * Sends events until none came for too long, the client hangs up, or the limit is reached.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 * @param {UpdatesWriter} writer
 * @param {boolean} goesOn after the first events
 */
async function follow (req, res, writer, goesOn) {
  const { closing, updates } = req.service
  const alarm = new Alarm()
  const end = () => alarm.end()
  const timer = onSilence(req, writer, end)
  res.on('close', end)
  closing.addEventListener('abort', end)
  updates.on('events', alarm.ring)
  updates.once('close', end)
  if (res.destroyed || closing.aborted) end()
  try {
    await writer.greet()
    while (!alarm.ended && !writer.full) {
      if (!writer.behind) await alarm.next()
      const before = writer.count
      await writer.write()
      if (writer.count > before && !goesOn) break
      if (writer.count > before) timer.refresh()
    }
  } finally {
    clearTimeout(timer)
    res.off('close', end)
    closing.removeEventListener('abort', end)
    updates.off('events', alarm.ring)
    updates.off('close', end)
  }
  // A server that stops waits for its connections.
  if (closing.aborted) res.on('finish', () => req.socket.end())
}

/**
 * Sends heartbeats while nothing else is sent, or, without heartbeats, ends the feed.
 *
 * @param {import('../../dispatch/request').PotorooRequest} req
 * @param {UpdatesWriter} writer
 * @param {() => void} end
 * @returns {NodeJS.Timeout} to be refreshed whenever events are sent
 */
function onSilence (req, writer, end) {
  const { heartbeat, silence } = silenceOf(req, SILENCE)
  const timer = setTimeout(() => {
    if (!heartbeat) return end()
    writer.heartbeat()
    timer.refresh()
  }, silence)
  return timer
}

/** Wakes the one who waits for the next event, or for the end. */
class Alarm {
  ended = false
  #wake = () => {}

  ring = () => this.#wake()

  end () {
    this.ended = true
    this.#wake()
  }

  /** @returns {Promise<void>} */
  next () { return new Promise(resolve => { this.#wake = resolve }) }
}

/** Writes events of one request, and knows how far it has come. */
class UpdatesWriter {
  #out
  #updates
  #form
  #last
  #left
  count = 0

  /** @param {ResponseWriter} out @param {DatabaseUpdates} updates @param {Form} form @param {number} since @param {number} limit */
  constructor (out, updates, form, since, limit) {
    this.#out = out
    this.#updates = updates
    this.#form = form
    this.#last = since
    this.#left = limit
    out.push(form.open)
  }

  /** Whether there are as many as were wanted, or nobody reads on. */
  get full () { return this.#left <= 0 || this.#out.closed }

  /** Whether there are events that were not written. */
  get behind () { return this.#updates.seq > this.#last }

  /** @param {boolean} [backwards] */
  async write (backwards = false) {
    const reached = this.#updates.seq
    let isCut = false
    for await (const event of this.#updates.after(this.#last, backwards)) {
      isCut = this.full
      if (isCut) break
      this.#push(event)
      if (this.#out.full) await this.#out.flush()
    }
    if (!isCut && !backwards) this.#last = reached
    if (this.#form !== list || this.#out.full) await this.#out.flush()
  }

  /** @param {UpdateEvent} event */
  #push ({ name, type, seq }) {
    const text = formatSequence(this.#updates, seq)
    const row = `{"db_name":${JSON.stringify(name)},"type":"${type}","seq":"${text}"}`
    this.#out.push(this.#form.row(row, this.count === 0, text))
    this.count++
    this.#left--
    this.#last = seq
  }

  /** Sends what there is, so that a client that has to wait knows that it is heard. */
  async greet () {
    if (this.count === 0 && this.#form.open === '') this.#out.push('\n')
    await this.#out.flush()
  }

  heartbeat () { this.#out.offer(this.#form.heartbeat) }

  end () {
    this.#out.push(this.#form.close(formatSequence(this.#updates, this.#last)))
    this.#out.end()
  }
}

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'GET', path: '/_db_updates', who: 'admin', owner: 'catalogue', allow: 'GET', query, handler: databaseUpdates }
]
