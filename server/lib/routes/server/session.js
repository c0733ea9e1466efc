'use strict'

const { badRequest, createError } = require('@potoroo/errors')
const { absoluteUrl } = require('../../http/absolute-url')
const { readFormText, readJson } = require('../../http/body')
const { sendJson } = require('../../http/response')

/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */

/**
 * Sessions by cookie.
 * @see https://docs.couchdb.org/en/stable/api/server/authn.html#cookie-authentication
 */

/** Bytes; a name and a password are short. */
const LIMIT = 64 * 1024

/**
 * `GET /_session`: who am I.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
function getSession (req, res) {
  const { name, roles, authenticated } = req.user
  const { authenticator, config } = req.service
  if (req.args.basic === 'true' && name === null) throw createError('UNAUTHORIZED', { reason: 'Please login.' })
  const database = config.get('chttpd_auth', 'authentication_db')
  sendJson(res, 200, {
    ok: true,
    userCtx: { name, roles },
    info: {
      authentication_handlers: authenticator.handlers,
      ...(authenticated && { authenticated }),
      ...(database !== '' && { authentication_db: database })
    }
  })
}

/**
 * `POST /_session` with `{ name, password, token? }`, as JSON or as a form → the cookie; with `?next=` a redirection.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function logIn (req, res) {
  const { next, fail } = req.args
  requirePath(next)
  requirePath(fail)
  const credentials = await readCredentials(req)
  try {
    const { name, roles } = await req.service.authenticator.logIn(req, res, credentials)
    answer(req, res, next, { ok: true, name, roles })
  } catch (error) {
    if (error.status !== 401 || fail === undefined) throw error
    answer(req, res, fail, error)
  }
}

/** Only a path of this server is gone on to: a whole URL would let anybody send our users elsewhere. @param {string | undefined} target */
function requirePath (target) {
  if (target === undefined) return
  if (!target.startsWith('/')) throw badRequest('path must begin with a /.')
  if (!/^[\x21-\x7e]*$/.test(target)) throw badRequest('path must be URL-encoded.')
}

/** @param {PotorooRequest} req @param {PotorooResponse} res @param {string | undefined} target @param {any} value */
function answer (req, res, target, value) {
  if (target === undefined) sendJson(res, 200, value)
  else sendJson(res, 302, value, { Location: absoluteUrl(req, target) })
}

/** @param {PotorooRequest} req */
async function readCredentials (req) {
  const values = await readFields(req)
  const { name, username, token } = values
  if (name !== undefined && username !== undefined && name !== username) throw badRequest('request body contains different usernames')
  if (name === undefined && username === undefined) throw badRequest('request body must contain a username')
  const credentials = { name: name ?? username, password: values.password ?? '', token: token ?? '' }
  for (const [field, value] of Object.entries(credentials)) {
    if (typeof value !== 'string') throw badRequest(`${field} must be a string`)
  }
  return credentials
}

/** @param {PotorooRequest} req */
async function readFields (req) {
  const type = (req.headers['content-type'] ?? '').toLowerCase()
  if (type.startsWith('application/x-www-form-urlencoded')) return readForm(await readFormText(req, LIMIT))
  if (!type.startsWith('application/json')) {
    throw createError('BAD_CONTENT_TYPE', { reason: 'Content-Type must be \'application/x-www-form-urlencoded\' or \'application/json\'' })
  }
  const value = await readJson(req, LIMIT)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw createError('NOT_AN_OBJECT', { reason: 'Request body must be a JSON object' })
  return value
}

/** Reads a form; if a field comes twice, the first. @param {string} text */
function readForm (text) {
  const form = new URLSearchParams(text)
  return Object.fromEntries(['name', 'username', 'password', 'token'].map(field => [field, form.get(field) ?? undefined]))
}

/**
 * `DELETE /_session`: forget the cookie.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
function logOut (req, res) {
  requirePath(req.args.next)
  req.service.authenticator.logOut(req, res)
  answer(req, res, req.args.next, { ok: true })
}

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'GET', path: '/_session', who: 'anyone', allow: 'GET,HEAD,POST,DELETE', query: { basic: 'string' }, handler: getSession },
  { method: 'POST', path: '/_session', who: 'anyone', query: { next: 'string', fail: 'string' }, handler: logIn },
  { method: 'DELETE', path: '/_session', who: 'anyone', query: { next: 'string' }, handler: logOut }
]
