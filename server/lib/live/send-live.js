'use strict'

const { CouchError, badRequest } = require('@potoroo/errors')
const { silenceOf, withoutUpgrade } = require('../changes/query')
const { LiveFeed } = require('../changes/live-feed')
const { watchSecurity } = require('../changes/rights-watch')
const { isReleased } = require('../changes/feed')
const { isObject } = require('../documents/input')
const { ResponseWriter } = require('../http/response-writer')
const { LiveWriter } = require('./live-writer')

/** @typedef {import('../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */

/** The feeds of a find; `normal` is its answer once. @param {Record<string, any>} args @returns {'normal' | 'continuous' | 'eventsource'} */
function liveFeedOf ({ feed = 'normal' }) {
  if (feed === 'live') return 'continuous'
  if (feed === 'normal' || feed === 'continuous' || feed === 'eventsource') return feed
  if (feed === 'websocket') throw withoutUpgrade()
  throw badRequest('Supported `feed` types of _find: normal, continuous, live, eventsource')
}

/**
 * Answers a find that goes on: its result, and what becomes of it.
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 * @param {any} body
 * @param {'continuous' | 'eventsource'} feed
 */
async function sendLive (req, res, body, feed) {
  const { service } = req
  const ending = new AbortController()
  const leave = service.live.enter(req.user.name, () => ending.abort())
  try {
    const store = await service.databases.get(req.params.db)
    const seen = { source: req.database.liveSource, reader: req.database.isOfMember ? store.forMember(req.user) : undefined }
    const find = await service.live.open(store, seen, asked(req, body, feed), ending.signal)
    const writer = new LiveWriter(new ResponseWriter(res, headersOf(req, feed)), feed)
    await writer.greet()
    /** @type {LiveFeed<ReturnType<typeof endingWith>>} */
    const live = new LiveFeed(service, (/** @type {AbortSignal} */ signal) => endingWith(find, signal, leave), writer, { ...silenceOf(req), until: untilSecurityChanges(req) })
    if (await isReleased(req, writer)) live.goOn()
    else await endLive(req, res, live, writer)
  } catch (error) {
    ending.abort()
    leave()
    throw error
  }
}

/** Keeps what it needs of a request; that its user changes, `enter` is told. @param {DatabaseRequest} req */
function untilSecurityChanges ({ service, params, user, security, database }) {
  return database.byDocument ? (/** @type {() => void} */ end) => watchSecurity({ service, params, user, security }, end) : undefined
}

/** A browser that lost its connection says where it was in a header. @param {DatabaseRequest} req @param {any} body @param {string} feed */
function asked ({ args, headers }, body, feed) {
  const bookmark = (feed === 'eventsource' ? headers['last-event-id'] ?? args['last-event-id'] : undefined) ?? args.bookmark
  return bookmark === undefined || !isObject(body) ? body : { ...body, bookmark, known: body.bookmark === bookmark ? body.known : undefined }
}

/** @param {DatabaseRequest} req @param {string} feed @returns {Record<string, string>} */
function headersOf ({ httpVersionMajor }, feed) {
  return {
    'Content-Type': feed === 'eventsource' ? 'text/event-stream' : 'application/json',
    'Cache-Control': feed === 'eventsource' ? 'no-cache' : 'must-revalidate',
    ...(httpVersionMajor === 1 && { Connection: 'close' })
  }
}

/** @param {import('@potoroo/indexes').LiveFind} find @param {AbortSignal} signal @param {() => void} leave */
function endingWith (find, signal, leave) {
  const end = () => find.end()
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  return {
    get bookmark () { return find.bookmark },
    get isBusy () { return !find.isReady },
    async * [Symbol.asyncIterator] () {
      try {
        yield * find
      } finally {
        leave()
      }
    }
  }
}

/**
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 * @param {LiveFeed<any>} live
 * @param {LiveWriter} writer
 */
async function endLive ({ service, socket, httpVersionMajor }, res, live, writer) {
  try {
    const sent = await live.run()
    if (service.closing.aborted && httpVersionMajor === 1) res.on('finish', () => socket.end())
    writer.end(sent)
  } catch (error) {
    if (!(error instanceof CouchError)) throw error
    writer.fail(error)
  }
}

module.exports = { liveFeedOf, sendLive }
