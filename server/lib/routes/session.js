'use strict'

const { createError } = require('@potoroo/errors')
const { readBody, readJson } = require('../body')
const { sendJson } = require('../response')

/** Bytes; a name and a password are short. */
const LIMIT = 64 * 1024

/** `GET /_session`: who am I. */
function getSession (req, res) {
  const { name, roles, authenticated } = req.user
  if (req.args.basic === true && authenticated === undefined) throw createError('UNAUTHORIZED', { reason: 'Please login.' })
  sendJson(res, 200, {
    ok: true,
    userCtx: { name, roles },
    info: {
      authentication_handlers: ['cookie', 'default'],
      ...(authenticated && { authenticated })
    }
  })
}

/** `POST /_session` with `{ name, password }`, as JSON or as a form → the cookie. */
async function logIn (req, res) {
  const { name, password } = await readCredentials(req)
  const { authenticator } = req.service
  const user = await authenticator.verify(name, password)
  const cookie = await authenticator.cookieFor(user.name, req)
  const answer = { ok: true, name: user.name, roles: user.roles }
  if (req.args.next !== undefined) return redirect(req, res, cookie, answer)
  sendJson(res, 200, answer, { 'Set-Cookie': cookie })
}

/** Only to a path of this server: a full URL would let anybody send our users elsewhere. */
function redirect (req, res, cookie, answer) {
  const { next } = req.args
  if (!/^\/(?![/\\])/.test(next)) throw createError('BAD_REQUEST', { reason: 'The `next` parameter must be a path' })
  sendJson(res, 302, answer, { 'Set-Cookie': cookie, Location: next })
}

async function readCredentials (req) {
  const type = (req.headers['content-type'] ?? '').split(';', 1)[0].trim().toLowerCase()
  const values = type === 'application/x-www-form-urlencoded' || type === ''
    ? Object.fromEntries(new URLSearchParams((await readBody(req, LIMIT)).toString('utf8')))
    : type === 'application/json'
      ? await readJson(req, LIMIT)
      : unknownType()
  const name = values?.name ?? values?.username
  if (typeof name !== 'string') throw createError('BAD_REQUEST', { reason: 'request body must contain a username' })
  if (typeof values.password !== 'string') throw createError('BAD_REQUEST', { reason: 'request body must contain a password' })
  return { name, password: values.password }
}

function unknownType () {
  throw createError('BAD_CONTENT_TYPE', { reason: 'Content-Type must be application/x-www-form-urlencoded or application/json' })
}

/** `DELETE /_session`: forget the cookie. */
function logOut (req, res) {
  sendJson(res, 200, { ok: true }, { 'Set-Cookie': req.service.authenticator.emptyCookie(req) })
}

module.exports = [
  { method: 'GET', path: '/_session', who: 'anyone', query: { basic: 'boolean' }, handler: getSession },
  { method: 'POST', path: '/_session', who: 'anyone', query: { next: 'string' }, handler: logIn },
  { method: 'DELETE', path: '/_session', who: 'anyone', handler: logOut }
]
