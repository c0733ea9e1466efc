'use strict'

const { badRequest } = require('@potoroo/errors')
const { filterFor } = require('./filter')
const { flag, withAttachmentsOrStubs } = require('../documents/query')
const { oneOf, types } = require('../http/query')
const { parseSequence } = require('../databases/sequence')

/** @typedef {import('../dispatch/request').DatabaseRequest} DatabaseRequest */

/** A whole number, not below `least`. @param {number} least @param {string} malformed @param {string} tooSmall */
function whole (least, malformed, tooSmall) {
  return (/** @type {string} */ text) => {
    if (!/^[+-]?\d{1,15}$/.test(text)) throw badRequest(malformed)
    if (Number(text) < least) throw badRequest(tooSmall)
    return Number(text)
  }
}

const interval = whole(1, 'invalid_seq_interval', 'invalid_seq_interval')
const heartbeat = whole(1,
  'Invalid heartbeat value. Expecting a positive integer value (in milliseconds).',
  'The heartbeat value should be a positive integer (in milliseconds).')

/** Milliseconds between heartbeats at least: a thousand feeds that have one each millisecond would hold up everybody. */
const LEAST_HEARTBEAT = 100

/** How `_changes` may be asked. */
const changesQuery = {
  feed: 'string',
  since: 'string',
  'last-event-id': 'string',
  limit: whole(0, 'The limit parameter should be a non-negative integer', 'The limit value should be a non-negative integer'),
  timeout: whole(0, 'The timeout parameter should be a non-negative integer', 'The timeout value should be a non-negative integer'),
  /** @param {string} text */
  heartbeat: text => text === 'true' || heartbeat(text),
  seq_interval: interval,
  style: oneOf('main_only', 'all_docs'),
  descending: flag,
  include_docs: flag,
  conflicts: flag,
  attachments: flag,
  att_encoding_info: flag,
  filter: 'string',
  view: 'string',
  doc_ids: types.json
}

/** How a find may be asked that goes on. */
const liveQuery = { feed: 'string', bookmark: 'string', 'last-event-id': 'string', timeout: changesQuery.timeout, heartbeat: changesQuery.heartbeat }

/** `replication` is ours: see replication-feed.js. */
const FEEDS = new Set(['normal', 'longpoll', 'continuous', 'eventsource', 'replication'])

/**
 * Reads what a request for changes asks for.
 *
 * @param {DatabaseRequest} req
 * @returns {Promise<{ feed: string, options: import('@potoroo/document-store').ChangesOptions,
 *   heartbeat: boolean, silence: number, seqInterval: number, encodings: boolean }>} after `silence` milliseconds
 *   without a change there is a heartbeat, or the feed ends
 */
async function readChanges (req) {
  const { args } = req
  const feed = feedOf(args)
  const includeDocs = args.include_docs === true
  const options = {
    since: /** @type {any} */ (sinceOf(req, feed)),
    limit: args.limit,
    style: args.style,
    descending: args.descending,
    includeDocs,
    conflicts: includeDocs && args.conflicts,
    ...(includeDocs && args.attachments && withAttachmentsOrStubs),
    ...await filterFor(req)
  }
  return { feed, options, encodings: args.att_encoding_info === true, ...silenceOf(req), seqInterval: args.seq_interval ?? 1 }
}

/** @param {Record<string, any>} args @returns {string} a feed that there is */
function feedOf (args) {
  const feed = args.feed === 'live' ? 'continuous' : args.feed ?? 'normal'
  if (feed === 'websocket') throw withoutUpgrade()
  if (!FEEDS.has(feed)) throw badRequest('Supported `feed` types: normal, continuous, live, longpoll, eventsource')
  return feed
}

/** A WebSocket asks for the continuous feed: websocket/asked-feed.js. */
function withoutUpgrade () { return badRequest('feed=websocket is for a WebSocket to a server of its own: the request lacks `Upgrade: websocket`') }

/**
 * After how many milliseconds without a change there is a heartbeat, or the feed ends.
 *
 * @param {import('../dispatch/request').PotorooRequest} req
 * @param {number} [longest] and what `heartbeat=true` means
 */
function silenceOf ({ args: { heartbeat, timeout }, service }, longest = service.config.integer('chttpd', 'changes_timeout')) {
  const asked = heartbeat === undefined ? timeout : heartbeat === true ? longest : Math.max(heartbeat, LEAST_HEARTBEAT)
  return { heartbeat: heartbeat !== undefined, silence: Math.min(asked ?? longest, longest) }
}

/** A browser that lost its connection says where it was in a header, and that counts. @param {DatabaseRequest} req @param {string} feed */
function sinceOf ({ args, headers, database, search }, feed) {
  const header = feed === 'eventsource' ? headers['last-event-id'] : undefined
  const since = header ?? lastOf(args, search) ?? '0'
  if (since === 'now' || since === '"now"') return database.isOfMember ? 'now' : database.updateSeq
  return parseSequence(database, since)
}

/** If both names for it are given, the last word counts. @param {Record<string, any>} args @param {string} search */
function lastOf ({ since, 'last-event-id': id }, search) {
  if (since === undefined || id === undefined) return since ?? id
  return [...new URLSearchParams(search).entries()].findLast(([name]) => name === 'since' || name === 'last-event-id')?.[1]
}

module.exports = { changesQuery, liveQuery, feedOf, lastOf, readChanges, silenceOf, withoutUpgrade }
