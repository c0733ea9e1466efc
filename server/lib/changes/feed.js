'use strict'

const { LiveFeed } = require('./live-feed')
const { sendWithRevisions } = require('./replication-feed')
const { watchRights } = require('./rights-watch')

/** @typedef {import('../databases/database-view').AnyDatabase} AnyDatabase */

/** @typedef {import('../dispatch/request').DatabaseRequest} DatabaseRequest */

/** The end of a feed. @typedef {Pick<import('@potoroo/document-store').Changes, 'lastSeq' | 'pending'>} FeedEnd */

/**
 * Sends the changes until now.
 *
 * @param {AnyDatabase} database
 * @param {any} options
 * @param {import('./format').ChangesWriter} writer
 */
async function sendUntilNow (database, options, writer) {
  const changes = database.changes(options)
  await send(changes, writer)
  return changes
}

/** @param {AsyncIterable<any[]>} changes @param {import('./format').ChangesWriter} writer */
async function send (changes, writer) {
  for await (const page of changes) {
    await writer.write(page)
    if (writer.closed) break
  }
}

/**
 * One answer as soon as there is a change, with all that there are. Whoever has it asks again at once: where the database
 * is deleted it is given no earlier than the deletion is done, whose own client would otherwise hear of it as a failure.
 *
 * @param {DatabaseRequest} req
 * @param {import('./format').ChangesWriter} writer
 * @param {Awaited<ReturnType<typeof import('./query').readChanges>>} request
 * @returns {Promise<FeedEnd>}
 */
async function sendLongpoll (req, writer, request) {
  const { options } = request
  try {
    const past = await sendUntilNow(req.database, options, writer)
    if (writer.count > 0 || options.limit === 0) return past
    await writer.greet()
    return await followed(req, writer, request, { ...options, since: past.lastSeq }, true).run()
  } catch (error) {
    if (error.code !== 'CLOSED' || writer.count > 0) throw error
    return { lastSeq: options.since ?? 0, pending: 0 }
  } finally {
    await req.service.databases.settled(req.params.db)
  }
}

/**
 * First what there is, then what comes. That may take days, in which neither request nor
 * response are needed any more.
 *
 * @param {DatabaseRequest} req
 * @param {import('./format').ChangesWriter} writer
 * @param {Awaited<ReturnType<typeof import('./query').readChanges>>} request
 * @returns {Promise<FeedEnd | null>}
 */
async function sendContinuous (req, writer, request) {
  const { options } = request
  const past = req.database.changes(options)
  try {
    await send(past, writer)
  } catch (error) {
    // Its lines are whole, wherever a database that closes ends them.
    if (error.code !== 'CLOSED' || writer.count === 0) throw error
    return past
  }
  if (writer.closed || writer.count >= (options.limit ?? Infinity)) return past
  const rest = { ...options, since: past.lastSeq, limit: options.limit && options.limit - writer.count }
  await writer.greet()
  const feed = followed(req, writer, request, rest, false)
  if (!await isReleased(req, writer)) return feed.run()
  feed.goOn()
  return null
}

/** Whether a feed goes on without its request and its response. @param {DatabaseRequest} req @param {{ out: import('../http/response-writer').ResponseWriter }} writer */
async function isReleased ({ service: { config, log } }, { out }) {
  return !log.logsRequests && config.boolean('chttpd', 'release_feeds') && await out.release()
}

/**
 * @param {DatabaseRequest} req
 * @param {import('./format').ChangesWriter} writer
 * @param {{ heartbeat: boolean, silence: number }} request
 * @param {import('@potoroo/document-store').ChangesOptions} options
 * @param {boolean} once
 * @returns {LiveFeed<import('@potoroo/document-store').Changes>}
 */
function followed (req, writer, { heartbeat, silence }, options, once) {
  const { service, database } = req
  const until = database.byDocument ? untilRightsChange(req) : undefined
  return new LiveFeed(service, (/** @type {AbortSignal} */ signal) => database.follow({ ...options, signal }), writer, { heartbeat, silence, limit: options.limit, once, until })
}

/** Keeps what it needs of a request, and not the request. @param {DatabaseRequest} req @returns {(end: () => void) => () => void} */
function untilRightsChange ({ service, params, user, security }) {
  return end => watchRights({ service, params, user, security }, end)
}

/**
 * Sends a feed from beginning to end.
 * @param {DatabaseRequest} req
 * @param {import('./format').ChangesWriter} writer
 * @param {Awaited<ReturnType<typeof import('./query').readChanges>>} request
 * @returns {Promise<FeedEnd | null>} what was sent, for its end; null where it goes on by itself
 */
async function sendFeed (req, writer, request) {
  const { feed, options } = request
  if (feed === 'replication') return sendWithRevisions(req.database, options, writer)
  if (feed === 'normal' || options.descending) return sendUntilNow(req.database, options, writer)
  return feed === 'longpoll' ? sendLongpoll(req, writer, request) : sendContinuous(req, writer, request)
}

module.exports = { isReleased, sendFeed }
