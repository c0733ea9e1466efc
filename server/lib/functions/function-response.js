'use strict'

const { validateHeaderName, validateHeaderValue } = require('node:http')
const { createError, printTerm } = require('@potoroo/errors')
const { contentSecurityPolicy } = require('../http/content-security-policy')

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */

/** Headers that say how an answer goes over the connection: no function may set them. */
const OURS = new Set(['connection', 'content-length', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'])

/**
 * The answer that a function wants.
 *
 * @typedef {object} FunctionResponse
 * @property {number} code
 * @property {string} type of the content, where the headers do not say
 * @property {Array<[string, string]>} headers
 * @property {string | Buffer} body
 * @property {any} json instead of a body; undefined where there is none
 */

/** How each member of a response is taken; of several bodies the last counts, but JSON counts before all. */
const members = {
  /** @param {FunctionResponse} response @param {any} value */
  code (response, value) { response.code = toStatus(value) },
  /** @param {FunctionResponse} response @param {any} value */
  stop (response, value) { if (value !== true) throw invalid('stop', value) },
  /** @param {FunctionResponse} response @param {any} value */
  json (response, value) {
    response.json = value
    response.type = 'application/json'
  },
  /** @param {FunctionResponse} response @param {any} value */
  body (response, value) {
    response.body = toText(value)
    response.type = 'text/html; charset=utf-8'
  },
  /** @param {FunctionResponse} response @param {any} value */
  base64 (response, value) {
    response.body = fromBase64(value)
    response.type = 'application/binary'
  },
  /** @param {FunctionResponse} response @param {any} value */
  headers (response, value) {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) throw fault('function_clause')
    response.headers = Object.entries(value).map(toHeader).filter(isTheirs)
  }
}

/**
 * @param {any} value what a function gave
 * @returns {FunctionResponse}
 * @throws external_response_error where it is nothing that could be sent
 * @see https://docs.couchdb.org/en/stable/json-structure.html#response-object
 */
function readResponse (value) {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw fault('function_clause')
  /** @type {FunctionResponse} */
  const response = { code: 200, type: 'application/json', headers: [], body: '', json: undefined }
  for (const name of Object.keys(value)) {
    if (name === '') continue
    if (!Object.hasOwn(members, name)) throw invalid(name, value[name])
    members[/** @type {keyof typeof members} */ (name)](response, value[name])
  }
  return response
}

/** Nor is it theirs to say who somebody is: a session of another user would be theirs to read. */
function isTheirs (/** @type {string[]} */ [name, value]) {
  const lower = name.toLowerCase()
  return !OURS.has(lower) && !(lower === 'set-cookie' && /^\s*AuthSession\s*(?:=|;|$)/.test(value))
}

/** Over HTTP an answer has a status of three digits, and below 200 none at all. @param {any} value */
function toStatus (value) {
  const code = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value
  if (Number.isInteger(code) && code >= 200 && code <= 999) return code
  throw invalid('code', value)
}

/** CouchDB takes lists of texts and bytes for text. @param {any} value @returns {string} */
function toText (value) {
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) throw fault('badarg')
  return value.map(each => Number.isInteger(each) && each >= 0 && each < 256 ? String.fromCharCode(each) : toText(each)).join('')
}

/** @param {any} value */
function fromBase64 (value) {
  if (typeof value !== 'string' || !isBase64(value)) throw fault('function_clause')
  return Buffer.from(value, 'base64')
}

/** Looks at a text of any length once. @param {string} text */
function isBase64 (text) {
  if (/[^A-Za-z0-9+/=\s]/.test(text)) return false
  const first = text.indexOf('=')
  return first === -1 || /^(?:=\s*){1,2}$/.test(text.slice(first))
}

/** A line that ends would begin a header of its own. @param {[string, any]} entry @returns {[string, string]} */
function toHeader ([name, value]) {
  const text = Array.isArray(value) ? toText(value) : value !== null && typeof value === 'object' ? printTerm(value) : String(value)
  // Headers are bytes; what is not Latin-1 goes as UTF-8.
  const bytes = Buffer.from(text).toString('latin1')
  try {
    validateHeaderName(name)
    validateHeaderValue(name, bytes)
  } catch {
    throw invalid('headers', { [name]: value })
  }
  return [name, bytes]
}

/** @param {string} name @param {any} value */
function invalid (name, value) {
  return createError('FUNCTION_ERROR', { error: 'external_response_error', reason: `Invalid data from external server: {${printTerm(name)},${printTerm(value)}}` })
}

/** Makes the error of a place where CouchDB itself stumbles. @param {string} reason */
function fault (reason) { return createError('FUNCTION_ERROR', { error: 'unknown_error', reason }) }

/**
 * The headers of an answer as `writeHead` takes them.
 *
 * @param {PotorooRequest} req
 * @param {import('../dispatch/request').PotorooResponse} res
 * @param {FunctionResponse} response
 * @param {Record<string, string>} [own] headers that count before those of the function
 * @returns {string[]} names and values in turn
 */
function headerList (req, res, { headers, type, json }, own = {}) {
  const names = new Set(headers.map(([name]) => name.toLowerCase()))
  const taken = new Set(Object.keys(own).map(name => name.toLowerCase()))
  const list = headers.filter(([name]) => !taken.has(name.toLowerCase())).flat()
  for (const name in own) list.push(name, own[name])
  if (!names.has('content-type')) list.push('Content-Type', type)
  if (json !== undefined && !names.has('cache-control')) list.push('Cache-Control', 'must-revalidate')
  return varying(res, sandboxed(req, list))
}

/**
 * Puts the policy of `[csp]` on what a function answers, whatever type it says that it is: it may run no scripts in this
 * origin, where they would have the rights of whoever looks at it. A policy of its own can only forbid more.
 *
 * @param {PotorooRequest} req
 * @param {string[]} list names and values in turn
 * @returns {string[]}
 */
function sandboxed (req, list) {
  const policy = contentSecurityPolicy(req.service.config, 'showlist')
  if (policy === undefined) return list
  const policies = [policy]
  const others = []
  for (let i = 0; i < list.length; i += 2) {
    if (list[i].toLowerCase() === 'content-security-policy') policies.push(list[i + 1])
    else others.push(list[i], list[i + 1])
  }
  // In one header, as not every way to send headers takes a name twice.
  return [...others, 'Content-Security-Policy', policies.join(', ')]
}

/** An answer that depends on who asks from where depends on that still. @param {PotorooResponse} res @param {string[]} list */
function varying (res, list) {
  const others = res.getHeader('vary')
  if (others === undefined) return list
  return list.map((text, i) => i % 2 === 1 && list[i - 1].toLowerCase() === 'vary' ? `${others}, ${text}` : text)
}

/** Statuses whose answers have no body. */
const EMPTY = new Set([204, 205, 304])

/**
 * Sends the response of a show or update function.
 *
 * @param {PotorooRequest} req
 * @param {import('../dispatch/request').PotorooResponse} res
 * @param {FunctionResponse} response
 * @param {Record<string, string>} [own] headers that count before those of the function
 */
function sendResponse (req, res, response, own) {
  const list = headerList(req, res, response, own)
  const body = response.json === undefined ? response.body : JSON.stringify(response.json) + '\n'
  if (EMPTY.has(response.code)) return res.writeHead(response.code, list).end()
  list.push('Content-Length', String(Buffer.byteLength(body)))
  res.writeHead(response.code, list)
  res.end(req.method === 'HEAD' ? undefined : body)
}

/**
 * Sends what a rewrite function answers by itself, in the sandbox.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 * @param {FunctionResponse} answer
 */
function sendPlain (req, res, { code, headers, body }) {
  const list = sandboxed(req, headers.flat())
  if (!EMPTY.has(code)) list.push('Content-Length', String(Buffer.byteLength(body)))
  res.writeHead(code, list)
  res.end(req.method === 'HEAD' || EMPTY.has(code) ? undefined : body)
}

module.exports = { EMPTY, headerList, readResponse, sandboxed, sendPlain, sendResponse }
