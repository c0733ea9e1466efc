'use strict'

const { EventEmitter } = require('node:events')
// It has no types.
const { Client, Connection } = /** @type {any} */ (require('pg'))
const { parse } = require('pg-protocol')

// The driver reads every value as text, for which the database server writes bytes in hexadecimal. Here rows come
// in binary, and statements that belong together make one exchange: they are sent at once, and the
// server answers once.

/** SQLSTATE of a warning, and that of an outcome that nobody knows. */
const WARNING = '01000'
const UNKNOWN = '08007'

const DATA_ROW = 0x44
const HEADER = 5

/** A parameter of more bytes is not copied. */
const LARGE = 16 * 1024

/**
 * @typedef {{ name: string, text: string }} Statement text without a name is parsed each time
 * @typedef {{ statement: Statement, values: Buffer[] }} Step values are in binary
 * @typedef {Array<Buffer | null>} Row
 */

/** A connection whose rows have buffers, and that knows the statements it has prepared. */
class BinaryConnection extends Connection {
  /** @type {Set<string>} */
  #prepared = new Set()
  /** @type {string[]} */
  #parsing = []

  /** @param {any} config */
  constructor (config) {
    super(config)
    this.on('parseComplete', () => this.#prepared.add(/** @type {string} */ (this.#parsing.shift())))
    // After an error the database server has skipped the rest.
    this.on('readyForQuery', () => { this.#parsing.length = 0 })
  }

  /** @param {any} stream */
  attachListeners (stream) {
    const others = new EventEmitter()
    parse(/** @type {any} */ (others), message => {
      const { name } = /** @type {any} */ (message)
      this.emit(name === 'error' ? 'errorMessage' : name, message)
    })
    const frames = new Frames(frame => {
      if (frame[0] === DATA_ROW) this.emit('dataRow', readRow(frame))
      else others.emit('data', frame)
    })
    stream.on('data', (/** @type {Buffer} */ chunk) => frames.add(chunk))
  }

  /** @param {Statement} statement */
  prepare (statement) {
    if (statement.name !== '' && (this.#prepared.has(statement.name) || this.#parsing.includes(statement.name))) return
    this.#parsing.push(statement.name)
    this.parse({ name: statement.name, text: statement.text, types: [] })
  }
}

/** Cuts a stream into the messages of the protocol: a byte, the length of what follows, and that. */
class Frames {
  #take
  /** @type {Buffer[]} */
  #parts = []
  #have = 0
  #need = HEADER

  /** @param {(frame: Buffer) => void} take */
  constructor (take) { this.#take = take }

  /** @param {Buffer} chunk */
  add (chunk) {
    if (this.#have > 0) {
      this.#parts.push(chunk)
      this.#have += chunk.length
      if (this.#have < this.#need) return
      chunk = Buffer.concat(this.#parts)
      this.#parts = []
      this.#have = 0
    }
    this.#keep(this.#cut(chunk))
  }

  /** @param {Buffer} chunk @returns {Buffer} the rest */
  #cut (chunk) {
    let at = 0
    this.#need = HEADER
    while (chunk.length - at >= HEADER) {
      const size = 1 + chunk.readUInt32BE(at + 1)
      if (chunk.length - at < size) {
        this.#need = size
        break
      }
      this.#take(chunk.subarray(at, at + size))
      at += size
    }
    return chunk.subarray(at)
  }

  /** @param {Buffer} rest */
  #keep (rest) {
    if (rest.length === 0) return
    this.#parts.push(rest)
    this.#have = rest.length
  }
}

/** @param {Buffer} frame */
function readRow (frame) {
  const fields = new Array(frame.readInt16BE(HEADER))
  let at = HEADER + 2
  for (let i = 0; i < fields.length; i++) {
    const length = frame.readInt32BE(at)
    at += 4
    if (length === -1) fields[i] = null
    else fields[i] = frame.subarray(at, at += length)
  }
  return { name: 'dataRow', fields }
}

/** A client of the driver on such a connection. Only exchanges may be asked of it. */
class BinaryClient extends Client {
  /** The warning that the database server gave during the exchange. @type {string | null} */
  #warning = null

  /** @param {any} config */
  constructor (config) {
    super(config)
    const self = /** @type {any} */ (this)
    self.connection = new BinaryConnection({ stream: config.stream, ssl: self.ssl, sslNegotiation: self.sslNegotiation, keepAlive: config.keepAlive, keepAliveInitialDelayMillis: config.keepAliveInitialDelayMillis })
    // One that is in use and lost is told to those who use it.
    this.on('error', () => {})
    this.on('notice', (/** @type {any} */ notice) => {
      if (notice.code === WARNING) this.#warning = notice.message
    })
  }

  /**
   * Sends statements at once; all are done, or those after the first that fails are skipped.
   *
   * @param {Step[]} steps
   * @param {number} limit milliseconds: then the connection is cut
   * @returns {Promise<Row[][]>} the rows of each
   */
  exchange (steps, limit) {
    return new Promise((resolve, reject) => {
      const { connection } = /** @type {any} */ (this)
      const timer = setTimeout(() => connection.stream.destroy(Object.assign(new Error('it did not answer in time'), { code: 'ETIMEDOUT' })), limit)
      this.query(/** @type {any} */ (new Exchange(steps, (error, results) => {
        clearTimeout(timer)
        const warning = this.#warning
        this.#warning = null
        if (error) reject(error)
        // It has stopped waiting for the standby: it would lose that commit with its machine.
        else if (warning !== null) reject(Object.assign(new Error(warning), { code: UNKNOWN }))
        else resolve(/** @type {Row[][]} */ (results))
      })))
    })
  }
}

/** Stands for a query of the driver's client. */
class Exchange {
  #steps
  /** @type {Row[][]} */
  #results = []
  /** @type {Row[]} */
  #rows = []

  /** @param {Step[]} steps @param {(error: Error | null, results?: Row[][]) => void} callback */
  constructor (steps, callback) {
    this.#steps = steps
    this.callback = callback
  }

  /** @param {BinaryConnection} connection */
  submit (connection) {
    const { stream } = /** @type {any} */ (connection)
    stream.cork()
    for (const { statement, values } of this.#steps) {
      connection.prepare(statement)
      for (const part of bindMessage(statement.name, values)) stream.write(part)
    }
    connection.sync()
    stream.uncork()
    return null
  }

  handleRowDescription () {}
  /** @param {{ fields: Row }} row */
  handleDataRow ({ fields }) { this.#rows.push(fields) }
  handleEmptyQuery () { this.handleCommandComplete() }

  handleCommandComplete () {
    this.#results.push(this.#rows)
    this.#rows = []
  }

  handleReadyForQuery () { this.callback(null, this.#results) }

  /** @param {any} error */
  handleError (error) {
    this.callback(isOutdated(error) ? Object.assign(error, { severity: 'FATAL' }) : error)
  }
}

/**
 * Whether the database server does not have the statements that it is thought to have, after a change of tables, or behind a
 * pooler: the connection is of no use.
 *
 * @param {any} error
 */
function isOutdated ({ code, message }) {
  return code === '26000' || code === '42P05' || (code === '0A000' && message.includes('cached plan'))
}

const EXECUTE = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0])

/**
 * The messages that bind values to the statement and execute it: all parameters and results in binary.
 *
 * @param {string} name
 * @param {Buffer[]} values
 * @returns {Buffer[]}
 * @see https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
function bindMessage (name, values) {
  const whole = 4 + 1 + name.length + 1 + 2 + 2 + 2 + 4 * values.length + values.reduce((sum, value) => sum + value.length, 0) + 2 + 2
  const own = 1 + whole - values.reduce((sum, value) => sum + (value.length > LARGE ? value.length : 0), 0) + EXECUTE.length
  const buffer = Buffer.allocUnsafe(own)
  const parts = []
  let begin = 0
  let at = buffer.writeUInt8(0x42, 0)
  at = buffer.writeInt32BE(whole, at)
  at = buffer.writeUInt8(0, at)
  at += buffer.write(name, at, 'latin1')
  at = buffer.writeUInt8(0, at)
  at = buffer.writeInt16BE(1, at)
  at = buffer.writeInt16BE(1, at)
  at = buffer.writeInt16BE(values.length, at)
  for (const value of values) {
    at = buffer.writeInt32BE(value.length, at)
    if (value.length > LARGE) {
      parts.push(buffer.subarray(begin, at), value)
      begin = at
    } else {
      at += value.copy(buffer, at)
    }
  }
  at = buffer.writeInt16BE(1, at)
  at = buffer.writeInt16BE(1, at)
  EXECUTE.copy(buffer, at)
  parts.push(buffer.subarray(begin))
  return parts
}

module.exports = { BinaryClient }
