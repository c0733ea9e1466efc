'use strict'

const { collator } = require('@potoroo/collation')
const { createError } = require('@potoroo/errors')
const { readBanner } = require('../banner')
const { parseAdmin } = require('../auth/password')
const { sendJson } = require('../response')

/** `_local` is this node, and so is its name. */
const NODES = ['_local', 'nonode@nohost']

/** Never shown: who could read them could be anybody. */
const SECRET = [['chttpd_auth', 'secret']]

function requireNode (req) {
  if (!NODES.includes(req.params.node)) throw createError('MISSING', { reason: 'no such node' })
}

/** `GET /_node/{node}`: its name. */
function node (req, res) {
  requireNode(req)
  sendJson(res, 200, { name: 'nonode@nohost' })
}

/** `GET /_node/{node}/_system`: of CouchDB's figures those that mean something here, and the storage. */
function system (req, res) {
  requireNode(req)
  const { service } = req
  const { heapUsed, external, rss } = process.memoryUsage()
  const storage = service.storage.describe()
  sendJson(res, 200, {
    uptime: Math.floor((Date.now() - service.startedAt) / 1000),
    memory: { processes_used: heapUsed, binary: external, other: rss },
    os_proc_count: 0,
    storage,
    dax: storage.medium === 'persistent memory (DAX)',
    durability: storage.survives ?? null
  })
}

/** `GET /_node/{node}/_versions`; without ICU there is no collation driver. */
function versions (req, res) {
  requireNode(req)
  const driver = collator && {
    name: 'libicu',
    library_version: collator.libraryVersion,
    collation_algorithm_version: collator.algorithmVersion,
    collator_version: collator.collatorVersion
  }
  sendJson(res, 200, { javascript_engine: { name: 'quickjs' }, ...(driver && { collation_driver: driver }), potoroo: { version: readBanner().version }, node: process.versions })
}

/** A value as it may be seen. */
function visible (section, key, value) {
  return SECRET.some(([s, k]) => s === section && k === key) ? undefined : value
}

function visibleSection (section, values) {
  return Object.fromEntries(Object.entries(values).filter(([key, value]) => visible(section, key, value) !== undefined))
}

/** `GET /_node/{node}/_config` */
function getConfig (req, res) {
  requireNode(req)
  const all = Object.entries(req.service.config.all())
  sendJson(res, 200, Object.fromEntries(all.map(([section, values]) => [section, visibleSection(section, values)])))
}

/** `GET /_node/{node}/_config/{section}` */
function getSection (req, res) {
  requireNode(req)
  const { section } = req.params
  sendJson(res, 200, visibleSection(section, req.service.config.section(section)))
}

function currentValue (req) {
  requireNode(req)
  const { section, key } = req.params
  const values = visibleSection(section, req.service.config.section(section))
  return Object.hasOwn(values, key) ? values[key] : undefined
}

/** `GET /_node/{node}/_config/{section}/{key}` */
function getValue (req, res) {
  const value = currentValue(req)
  if (value === undefined) throw createError('MISSING', { reason: 'unknown_config_value' })
  sendJson(res, 200, value)
}

/** `PUT /_node/{node}/_config/{section}/{key}` with the new value, a JSON string → the old one */
async function setValue (req, res) {
  const { section, key } = req.params
  const before = currentValue(req)
  const value = req.body
  if (typeof value !== 'string' || /[\r\n]/.test(value)) throw createError('BAD_REQUEST', { reason: 'The value must be a string of one line' })
  if (!isName(section) || !isName(key)) throw createError('BAD_REQUEST', { reason: 'Invalid configuration section or key' })
  const { config, users } = req.service
  if (section === 'admins' && parseAdmin(value) === null) await users.setAdmin(key, value)
  else config.set(section, key, value)
  sendJson(res, 200, before ?? '')
}

/** Nothing that would read back as something else from the ini file. */
function isName (text) {
  return text === text.trim() && text !== '' && !/[\r\n=[\]]/.test(text) && !/^[;#]/.test(text)
}

/** `DELETE /_node/{node}/_config/{section}/{key}` → the old value */
function deleteValue (req, res) {
  const before = currentValue(req)
  if (before === undefined) throw createError('MISSING', { reason: 'unknown_config_value' })
  req.service.config.delete(req.params.section, req.params.key)
  sendJson(res, 200, before)
}

/** `POST /_node/{node}/_config/_reload`: for who edited the file; changes over HTTP are in force at once. */
function reload (req, res) {
  requireNode(req)
  req.service.config.reload()
  sendJson(res, 200, { ok: true })
}

const value = '/_node/:node/_config/:section/:key'

module.exports = [
  { method: 'GET', path: '/_node/:node', who: 'admin', handler: node },
  { method: 'GET', path: '/_node/:node/_system', who: 'admin', handler: system },
  { method: 'GET', path: '/_node/:node/_versions', who: 'admin', handler: versions },
  { method: 'GET', path: '/_node/:node/_config', who: 'admin', handler: getConfig },
  { method: 'POST', path: '/_node/:node/_config/_reload', who: 'admin', handler: reload },
  { method: 'GET', path: '/_node/:node/_config/:section', who: 'admin', handler: getSection },
  { method: 'GET', path: value, who: 'admin', handler: getValue },
  { method: 'PUT', path: value, who: 'admin', body: 'json', handler: setValue },
  { method: 'DELETE', path: value, who: 'admin', handler: deleteValue }
]
