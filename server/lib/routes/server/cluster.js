'use strict'

const { isLegalName } = require('@potoroo/document-store')
const { badRequest, createError } = require('@potoroo/errors')
const { isObject } = require('../../documents/input')
const { NODE } = require('../../service/node-name')
const { fault } = require('../../config/checks')
const { sendJson } = require('../../http/response')

/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {import('../../service/request-service').RequestService} RequestService */

const SYSTEM_DATABASES = ['_users', '_replicator']

/**
 * `GET /_cluster_setup` → `{ state }`, of a node that is alone
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
function clusterState (req, res) {
  const { ensure_dbs_exist: names = SYSTEM_DATABASES } = req.args
  const { databases, config } = req.service
  const enabled = config.boolean('couchdb', 'single_node') || names.every((/** @type {string} */ name) => databases.has(name))
  sendJson(res, 200, { state: enabled ? 'single_node_enabled' : 'single_node_disabled' })
}

/** The actions of `POST /_cluster_setup` that make sense for one node. @type {Record<string, (req: any) => Promise<void>>} */
const actions = {
  /**
   * An administrator, where to listen from the next start on, and the system databases.
   *
   * @param {{ body: any, service: RequestService }} req
   */
  async enable_single_node ({ body, service }) {
    requireTogether(body)
    const { bind_address: address, port, username, password } = body
    const settings = Object.entries({ bind_address: address, port }).filter(([, value]) => value !== undefined)
    for (const [key, value] of settings) requireSetting(key, value)
    await ensureDatabases(service.databases, body)
    if (username !== undefined) await service.users.setAdmin(username, password)
    for (const [key, value] of settings) service.config.set('chttpd', key, String(value))
  },

  /** @param {{ body: any, service: RequestService }} req */
  async finish_cluster ({ body, service }) {
    await ensureDatabases(service.databases, body)
  }
}

/** A name without a password makes no administrator. @param {any} body */
function requireTogether ({ username, password }) {
  if (username === undefined && password === undefined) return
  if (typeof username !== 'string' || username === '' || /[\p{C}=[\];]/u.test(username)) throw badRequest('Invalid username')
  if (typeof password !== 'string' || password === '' || /\p{C}/u.test(password)) throw badRequest('Invalid password')
}

/** @param {string} key @param {any} value */
function requireSetting (key, value) {
  const wrong = typeof value === 'string' || Number.isSafeInteger(value) ? fault('chttpd', key, String(value)) : `Invalid ${key}`
  if (wrong !== null) throw badRequest(wrong)
}

/** @param {import('../../service/request-service').RequestDatabases} databases @param {{ ensure_dbs_exist?: string[] }} body */
async function ensureDatabases (databases, { ensure_dbs_exist: names = SYSTEM_DATABASES }) {
  if (!Array.isArray(names) || !names.every(name => typeof name === 'string' && isLegalName(name))) throw badRequest('`ensure_dbs_exist` must be an array of database names.')
  for (const name of names) if (!databases.has(name)) await databases.create(name)
}

/** Actions that need other nodes. */
const others = new Set(['enable_cluster', 'add_node', 'remove_node', 'receive_cookie'])

/**
 * `POST /_cluster_setup` with `{ action }` → 201
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function setUp (req, res) {
  if (!isObject(req.body)) throw badRequest('Missing JSON body\'')
  const { action } = req.body
  if (others.has(action)) throw createError('NOT_IMPLEMENTED', { reason: `${action}: this server is one node and joins no cluster` })
  if (typeof action !== 'string' || !Object.hasOwn(actions, action)) throw badRequest('Invalid Action\'')
  await actions[action](req)
  sendJson(res, 201, { ok: true })
}

/** The one shard of a database: all ids. */
const RANGE = '00000000-ffffffff'

/**
 * `GET /{db}/_shards`
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
function shards (req, res) { sendJson(res, 200, { shards: { [RANGE]: [nodeOf(req.service)] } }) }

/**
 * `GET /{db}/_shards/{doc}`: where a document is, or would be
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
function shardOf (req, res) { sendJson(res, 200, { range: RANGE, nodes: [nodeOf(req.service)] }) }

/** The node that answers, which has the database. @param {RequestService} service */
function nodeOf ({ cluster }) { return cluster?.name ?? NODE }

/**
 * `POST /{db}/_sync_shards`: there are no copies that could differ.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
function syncShards (req, res) { sendJson(res, 202, { ok: true }) }

const RUNNING = Object.freeze({ state: 'running', reason: null })

/** Whether resharding is stopped, though nothing goes on that this could stop. @type {WeakMap<object, { state: string, reason: any }>} */
const states = new WeakMap()

/** @param {{ service: RequestService }} req */
function stateOf ({ service }) { return states.get(service) ?? RUNNING }

/**
 * `GET /_reshard`
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
function reshardSummary (req, res) {
  const { state, reason } = stateOf(req)
  sendJson(res, 200, { state, state_reason: reason, completed: 0, failed: 0, running: 0, stopped: 0, total: 0 })
}

/**
 * `PUT /_reshard/state` with `{ state, reason? }`
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
function setReshardState (req, res) {
  requireState(req.body)
  const { state, reason = 'Cluster-wide resharding stopped by the user' } = req.body
  states.set(req.service, state === 'running' ? RUNNING : { state, reason })
  sendJson(res, 200, { ok: true })
}

/** @param {any} body */
function requireState (body) {
  if (!isObject(body)) throw badRequest('Request body must be a JSON object')
  if (body.state === undefined) throw badRequest('Expected a `state` field')
  if (body.state !== 'running' && body.state !== 'stopped') throw badRequest('State field not `running` or `stopped`')
}

/** `POST /_reshard/jobs` @param {PotorooRequest} req */
function createJob (req) {
  if (!isObject(req.body)) throw badRequest('Request body must be a JSON object')
  for (const [name, check] of Object.entries(parameters)) {
    const reason = req.body[name] === undefined ? null : check(req.body[name], req.service)
    if (reason !== null) throw badRequest(reason)
  }
  if (req.body.type !== 'split') throw badRequest('`job type must be `split`')
  throw createError('NOT_IMPLEMENTED', { reason: 'Databases of this server have one shard, which is not split' })
}

/**
 * Returns what is wrong with a parameter of a job, or null.
 * @type {Record<string, (value: any, service: any) => string | null>}
 */
const parameters = {
  node: value => typeof value !== 'string' ? 'Invalid `node`' : value === NODE ? null : '`node` is not a valid node name',
  shard: value => typeof value !== 'string' ? 'Invalid `shard`' : /^shards\/.{8}-.{8}\//s.test(value) ? null : '`shard` is invalid',
  db: (value, { databases }) => typeof value === 'string' && databases.has(value) ? null : 'Invalid `db`',
  range: value => isRange(value) ? null : 'Invalid `range`'
}

/** @param {any} value */
function isRange (value) {
  const match = typeof value === 'string' ? /^([0-9a-f]{8})-([0-9a-f]{8})$/i.exec(value) : null
  return match !== null && parseInt(match[1], 16) < parseInt(match[2], 16)
}

/** @param {PotorooRequest} req */
function noJob (req) {
  if (req.method === 'PUT') requireState(req.body)
  throw createError('MISSING')
}

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'GET', path: '/_cluster_setup', who: 'admin', owner: 'catalogue', allow: 'GET,POST', query: { ensure_dbs_exist: 'array' }, handler: clusterState },
  { method: 'POST', path: '/_cluster_setup', who: 'admin', owner: 'catalogue', body: 'typed-json', handler: setUp },
  { method: 'GET', path: '/:db/_shards', who: 'member', whoIn: { replications: 'member' }, allow: 'GET', shards: 'shards', handler: shards },
  { method: 'GET', path: '/:db/_shards/:doc', who: 'member', whoIn: { replications: 'member' }, allow: 'GET', shards: 'shardOf', handler: shardOf },
  { method: 'POST', path: '/:db/_sync_shards', who: 'admin', shards: 'any', handler: syncShards },
  { method: 'GET', path: '/_reshard', who: 'admin', handler: reshardSummary },
  {
    method: 'GET',
    path: '/_reshard/state',
    who: 'admin',
    allow: 'GET,HEAD,PUT', /** @param {PotorooRequest} req @param {PotorooResponse} res */
    /** @param {PotorooRequest} req @param {PotorooResponse} res */
    handler (req, res) { sendJson(res, 200, stateOf(req)) }
  },
  { method: 'PUT', path: '/_reshard/state', who: 'admin', body: 'typed-json', handler: setReshardState },
  {
    method: 'GET',
    path: '/_reshard/jobs',
    who: 'admin', /** @param {PotorooRequest} req @param {PotorooResponse} res */
    /** @param {PotorooRequest} req @param {PotorooResponse} res */
    handler (req, res) { sendJson(res, 200, { total_rows: 0, offset: 0, jobs: [] }) }
  },
  { method: 'POST', path: '/_reshard/jobs', who: 'admin', body: 'typed-json', handler: createJob },
  { method: 'GET', path: '/_reshard/jobs/:job', who: 'admin', allow: 'GET,HEAD,DELETE', handler: noJob },
  { method: 'DELETE', path: '/_reshard/jobs/:job', who: 'admin', handler: noJob },
  { method: 'GET', path: '/_reshard/jobs/:job/state', who: 'admin', allow: 'GET,HEAD,PUT', handler: noJob },
  { method: 'PUT', path: '/_reshard/jobs/:job/state', who: 'admin', body: 'typed-json', handler: noJob }
]
