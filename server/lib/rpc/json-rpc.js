'use strict'

const { isObject } = require('@potoroo/document-store')

/**
 * JSON-RPC 2.0: what requests are, and their answers.
 * @see https://www.jsonrpc.org/specification
 */

const PARSE_ERROR = { code: -32700, message: 'Parse error' }
const INVALID_REQUEST = { code: -32600, message: 'Invalid Request' }
const METHOD_NOT_FOUND = { code: -32601, message: 'Method not found' }
const INTERNAL_ERROR = -32603

/** @typedef {{ code: number, message: string, data?: any }} RpcError */

/** Does what a request asks, and gives JSON of the result. @typedef {(method: string, params: any) => Promise<string>} Perform */

/** An error that is the answer to a request. */
class CallError extends Error {
  /** @param {RpcError} rpc */
  constructor (rpc) {
    super(rpc.message)
    this.rpc = rpc
  }
}

/**
 * Answers a request, or a batch of them, one after another.
 *
 * @param {any} body
 * @param {number} most requests of a batch
 * @param {Perform} perform
 * @returns {Promise<string | null>} JSON; null where nothing is to be answered, as all are notifications
 */
async function answerAll (body, most, perform) {
  if (!Array.isArray(body)) return answerOne(body, perform)
  if (body.length === 0) return errorText(null, INVALID_REQUEST)
  if (body.length > most) return errorText(null, { ...INVALID_REQUEST, data: `A batch has at most ${most} requests` })
  const answers = []
  for (const request of body) {
    const answer = await answerOne(request, perform)
    if (answer !== null) answers.push(answer)
  }
  return answers.length === 0 ? null : `[${answers.join(',')}]`
}

/** @param {any} request @param {Perform} perform @returns {Promise<string | null>} */
async function answerOne (request, perform) {
  if (!isRequest(request)) return errorText(isId(request?.id) ? request.id : null, INVALID_REQUEST)
  const { id, method, params } = request
  const answer = await outcomeOf(id ?? null, () => perform(method, params))
  return id === undefined ? null : answer
}

/** @param {string | number | null} id @param {() => Promise<string>} run @returns {Promise<string>} */
async function outcomeOf (id, run) {
  try {
    return `{"jsonrpc":"2.0","result":${await run()},"id":${JSON.stringify(id)}}`
  } catch (error) {
    if (!(error instanceof CallError)) throw error
    return errorText(id, error.rpc)
  }
}

/** @param {any} request */
function isRequest (request) {
  if (!isObject(request)) return false
  const { jsonrpc, method, params, id } = request
  return jsonrpc === '2.0' && typeof method === 'string' && (id === undefined || isId(id)) && (params === undefined || (typeof params === 'object' && params !== null))
}

/** @param {unknown} id */
function isId (id) { return id === null || typeof id === 'string' || typeof id === 'number' }

/** @param {string | number | null} id @param {RpcError} error */
function errorText (id, error) { return JSON.stringify({ jsonrpc: '2.0', error, id }) }

module.exports = { CallError, answerAll, errorText, INTERNAL_ERROR, METHOD_NOT_FOUND, PARSE_ERROR }
