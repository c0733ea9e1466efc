'use strict'

/*
 * The world that show, list, update and rewrite functions find around them, and how they are called. It runs inside
 * QuickJS, after prelude.js and media-types.js.
 *
 * A list function asks for rows and sends text, and both go over in pieces: `__more(piece)` gives what was
 * sent to the host and waits for the next rows. A piece, and what a list gives at its end, is
 *
 *   JSON of the response's start, or nothing, '\n', '=' and text as it is, or '"' and text in JSON
 *
 * An error after rows were asked for ends it: '!' and `{ text, error, reason }`. Text is sent for good
 * when the next row is asked for, so that what comes before an error is what CouchDB sends.
 */
;(function (/** @type {import('./prelude').World} */ global) {
  /** @typedef {{ doc?: any, req: any }} Call of a show, update or rewrite function */

  const { kinds, raise, describe, tell, parseDeep, functionOf, libraryOf, Internal } = global.__prelude
  const { register, choose, types, name: nameOfType } = global.__mediaTypes
  const { stringify } = JSON
  const { isArray } = Array
  const more = global.__more

  /** UTF-16 units that are gathered before they go over. */
  const PIECE = 32 * 1024
  /** UTF-16 units that a list may send before it needs a host that listens. */
  const MOST_UNHEARD = 256 * 1024

  /** `[name, function]` of each `provides`. @type {Array<[string, Function]>} */
  let provided = []
  let contentType = ''

  /** @type {any} */
  let startedWith = {}
  /** Whether the response is begun again: by `start`, or by the first row. */
  let isNew = false
  /** Texts that were sent since the last row was asked for. @type {string[]} */
  let chunks = []
  /** Text that is sent for good, but not over yet: the start as JSON, and text. */
  let head = ''
  let text = ''
  /** Whether the client has the start already. */
  let begun = false
  /** @type {any[]} */
  let rows = []
  let position = 0
  let isLastBatch = true
  /** Whether the host listens while the function runs. */
  let isHeard = false
  let isTooLong = false
  let gotRow = false
  let gotLast = false

  global.provides = function provides (/** @type {string} */ name, /** @type {Function} */ answer) { provided[provided.length] = [name, answer] }
  global.registerType = function registerType (/** @type {string} */ name, /** @type {string[]} */ ...given) { register(name, given) }
  global.start = function start (/** @type {any} */ response) {
    startedWith = response || {}
    isNew = true
  }
  global.send = function send (/** @type {any} */ chunk) { chunks[chunks.length] = chunk.toString() }
  global.getRow = function getRow () {
    if (gotLast) return null
    if (!gotRow) {
      gotRow = true
      startedWith = withContentType(startedWith)
      isNew = true
    }
    settle()
    if (isHeard && (position >= rows.length || text.length > PIECE)) exchange()
    if (!isHeard && text.length > MOST_UNHEARD) stop()
    if (position < rows.length) return rows[position++]
    gotLast = true
    return null
  }

  /** It is called again, and heard. */
  function stop () {
    isTooLong = true
    text = ''
    position = rows.length
  }

  function reset () {
    provided = []
    contentType = ''
    startedWith = {}
    isNew = gotRow = gotLast = begun = false
    chunks = []
    head = text = ''
    rows = []
    position = 0
    isLastBatch = true
    isHeard = isTooLong = false
  }

  /** Sends for good what was sent. The start is open as long as nothing was. */
  function settle () {
    if (isNew && !begun) head = stringify(startedWith)
    isNew = false
    if (chunks.length === 0) return
    begun = true
    text += chunks.length === 1 ? chunks[0] : chunks.join('')
    chunks = []
  }

  /** Gives what is to be sent, and takes rows where there are none left. */
  function exchange () {
    while (text.length > PIECE || (position >= rows.length && !isLastBatch)) {
      const wantsRows = position >= rows.length && !isLastBatch
      const answer = more(takePiece(), wantsRows)
      if (answer !== '') takeRows(parseDeep(answer))
    }
  }

  /** @param {{ rows: any[], last: boolean }} batch */
  function takeRows (batch) {
    rows = batch.rows
    position = 0
    isLastBatch = batch.last
  }

  /** QuickJS's strings end at the first NUL on their way out. */
  function takePiece () {
    const body = text.indexOf('\0') === -1 ? '=' + text : '"' + stringify(text)
    const piece = `${begun ? takeHead() : ''}\n${body}`
    text = ''
    return piece
  }

  function takeHead () {
    const taken = head
    head = ''
    return taken
  }

  /** @param {any} response */
  function withContentType (response) {
    const headers = response.headers || {}
    if (contentType) headers['Content-Type'] = headers['Content-Type'] || contentType
    response.headers = headers
    return response
  }

  /**
   * Calls the function that the client's `Accept`, or `format` in the query, asks for.
   *
   * @param {any} req
   */
  function callProvided ({ query, headers }) {
    const accept = headers.Accept
    let name
    if (query && query.format) {
      name = query.format
      contentType = types(name)[0]
    } else if (accept) {
      provided.reverse()
      const offered = []
      for (let i = 0; i < provided.length; i++) offered.push(...types(provided[i][0]) ?? [])
      contentType = choose(offered, accept)
      name = nameOfType(contentType)
    } else {
      name = provided[0][0]
      contentType = types(name)[0]
    }
    const found = name && provided.find(each => each[0] === name)
    if (found) return found[1].call(libraryOf())
    const offered = provided.map(each => types(each[0]).join(', ') || each[0])
    return raise(['error', 'not_acceptable', `Content-Type ${accept || name} not supported, try one of: ${offered.join(', ')}`])
  }

  /** @param {any} value */
  function asResponse (value) { return typeof value === 'string' ? { body: value } : value }

  /** @param {any} value @param {string} kind */
  function requireResponse (value, kind) {
    if (value !== null && (typeof value === 'string' || (typeof value === 'object' && !isArray(value)))) return asResponse(value)
    return raise(['error', 'render_error', `undefined response from ${kind} function`])
  }

  /**
   * Leaves an error that a function threw as it is, if it has one of CouchDB's forms.
   *
   * @param {any} error
   * @param {string} name
   */
  function renderError (error, name) {
    if (error instanceof Internal) return error
    if (isFailure(error)) return error
    const message = `function raised error: ${error} \nstacktrace: ${error.stack}`
    tell('info', message)
    return ['error', name, message]
  }

  /** @param {any} error */
  function isFailure (error) { return (error.error && error.reason) || error[0] === 'error' || error[0] === 'fatal' }

  /** @param {Call} call */
  kinds.show = function show ({ doc, req }) {
    reset()
    try {
      return stringify(requireResponse(shown(doc, req), 'show'))
    } catch (error) {
      if (doc === null && req.path.length > 5 && !(error instanceof Internal)) return raise(['error', 'not_found', 'document not found'])
      throw renderError(error, 'render_error')
    }
  }

  /** @param {any} doc @param {any} req */
  function shown (doc, req) {
    const response = asResponse(functionOf().call(libraryOf(), doc, req) || {})
    if (chunks.length > 0) {
      response.headers = response.headers || {}
      for (const name in startedWith) response.headers[name] = startedWith[name]
      response.body = chunks.join('') + (response.body || '')
      chunks = []
    }
    if (provided.length === 0) return response
    const answer = asResponse(callProvided(req) || {})
    response.body = (response.body || '') + chunks.join('') + (answer.body || '')
    return withContentType(response)
  }

  /** @param {Call} call */
  kinds.update = function update ({ doc, req }) {
    reset()
    try {
      if (req.method === 'GET') raise(['error', 'method_not_allowed', 'Update functions do not allow GET'])
      const result = functionOf().call(libraryOf(), doc, req)
      return stringify({ doc: result[0], response: requireResponse(result[1], 'update') })
    } catch (error) {
      throw renderError(error, 'render_error')
    }
  }

  /** @param {Call} call */
  kinds.rewrite = function rewrite ({ req }) {
    reset()
    let result
    try {
      result = functionOf().call(libraryOf(), req)
    } catch (error) {
      throw renderError(error, 'rewrite_error')
    }
    if (!result) return 'null'
    return stringify({ result: typeof result === 'string' ? { path: result, method: req.method } : result })
  }

  /**
   * The first rows come with the call.
   *
   * @param {{ head: any, req: any, rows: any[], last: boolean }} call
   * @param {boolean} [isAlone]
   */
  kinds.list = function list ({ head: about, req, rows: first, last }, isAlone = true) {
    reset()
    isHeard = isAlone
    takeRows({ rows: first, last })
    try {
      let tail = functionOf().call(libraryOf(), about, req)
      if (provided.length > 0) tail = callProvided(req)
      if (!gotRow) global.getRow()
      if (tail !== undefined) chunks[chunks.length] = flatten(tail)
      settle()
      return takePiece()
    } catch (error) {
      return failed(renderError(error, 'render_error'))
    }
  }

  /**
   * Before the first row, and after the last one, an error is an answer of its own where nothing was sent.
   *
   * @param {any} failure
   */
  function failed (failure) {
    if (failure instanceof Internal) throw failure
    if (!begun && (!gotRow || gotLast)) throw failure
    const { error, reason } = describe(failure)
    return `${takeHead()}\n!${stringify({ text, error, reason })}`
  }

  /**
   * Several calls, of show, list, update and rewrite functions: each fails alone.
   *
   * @param {Array<Call & { kind: string }>} calls
   */
  kinds.renders = function renders (calls) {
    let answers = ''
    for (let i = 0; i < calls.length; i++) answers += (i === 0 ? '[' : ',') + rendered(calls[i])
    return answers + ']'
  }

  /** @param {Call & { kind: string }} call */
  function rendered ({ kind, ...call }) {
    try {
      if (kind !== 'list') return `{"ok":${kinds[kind](call)}}`
      const piece = kinds.list(call, false)
      return isTooLong ? '{"ok":null}' : `{"ok":${stringify(piece)}}`
    } catch (error) {
      if (error instanceof Internal) throw error
      return isTooLong ? '{"ok":null}' : stringify(describe(error))
    }
  }

  /**
   * CouchDB takes lists of texts and of bytes for text.
   *
   * @param {unknown} value
   * @returns {string}
   */
  function flatten (value) {
    if (typeof value === 'string') return value
    if (isArray(value)) return value.map(flatten).join('')
    if (typeof value === 'number' && value >= 0 && value < 256) return String.fromCharCode(value)
    return raise(['error', 'unknown_error', 'badarg'])
  }
})(/** @type {any} */ (globalThis))
