'use strict'

const { chooseInTurns, toJson } = require('@potoroo/document-store')
const { formatSequence } = require('../databases/sequence')

/** @typedef {import('@potoroo/document-store').Document} Document */

/** @typedef {import('@potoroo/document-store').Change & { gone?: boolean, docs?: string[] }} WrittenChange docs: JSON of its revisions */

/**
 * How a feed looks on the wire.
 * @typedef {object} Format
 * @property {string} open
 * @property {(row: string, seq: string, first: boolean) => string} row
 * @property {(lastSeq: string, pending: string) => string} close lastSeq as JSON; pending as a member of what holds it
 * @property {string} heartbeat
 * @property {string} greeting what tells a client that has to wait that it is heard
 */

/** @type {Format} */
const list = {
  open: '{"results":[\n',
  row: (row, seq, first) => first ? row : ',\n' + row,
  close: (lastSeq, pending) => `\n],\n"last_seq":${lastSeq}${pending}}\n`,
  heartbeat: '\n',
  greeting: ''
}

/** @type {Record<string, Format>} */
const formats = {
  normal: list,
  longpoll: list,
  continuous: {
    open: '',
    row: row => row + '\n',
    close: (lastSeq, pending) => `{"last_seq":${lastSeq}${pending}}\n`,
    heartbeat: '\n',
    greeting: '\n'
  },
  eventsource: {
    open: '',
    row: (row, seq) => `data: ${row}\nid: ${seq}\n\n`,
    close: () => '',
    heartbeat: 'event: heartbeat\ndata: \n\n',
    greeting: '\n'
  }
}

formats.replication = formats.continuous

/** CouchDB's limit where none is asked for. With seq_interval the changes count down from the limit. */
const UNLIMITED = 1e15

/** Writes the changes of one request in its feed's format. */
class ChangesWriter {
  #out
  #format
  #includeDocs
  #project
  #interval
  #encodings
  #suffix
  #count = 0
  #left

  /**
   * @param {import('../http/response-writer').ResponseWriter} out
   * @param {import('../databases/database-view').AnyDatabase} database
   * @param {{ feed: string, options: { includeDocs?: boolean, limit?: number, project?: (doc: any) => any }, seqInterval: number, encodings?: boolean }} request
   */
  constructor (out, database, { feed, options, seqInterval, encodings = false }) {
    this.#out = out
    this.#format = formats[feed]
    this.#includeDocs = options.includeDocs === true
    this.#project = options.project
    this.#interval = seqInterval
    this.#encodings = encodings
    this.#left = options.limit ?? UNLIMITED
    this.#suffix = formatSequence(database, 0).slice(1)
    out.push(this.#format.open)
  }

  /** Whether the client has gone. */
  get closed () { return this.#out.closed }

  /** The response that is written to: it says when the client goes, and lets its response go. */
  get out () { return this.#out }

  /** Changes written so far. */
  get count () { return this.#count }

  /** @param {WrittenChange[]} changes */
  async write (changes) {
    const { row } = this.#format
    for (const change of changes) {
      const seq = this.#left-- % this.#interval === 0 ? this.#sequence(change.seq) : 'null'
      this.#count++
      const text = this.#toRow(change, seq)
      this.#out.push(row(text instanceof Promise ? await text : text, seq, this.#count === 1))
      if (this.#out.full) await this.#out.flush()
    }
  }

  /** A client that has to wait for its first change knows that it is heard. */
  async greet () {
    if (this.#count === 0) this.#out.push(this.#format.greeting)
    await this.flush()
  }

  /** Sends what there is. */
  flush () { return this.#out.flush() }

  heartbeat () { this.#out.offer(this.#format.heartbeat) }

  /** @param {{ lastSeq: number | string, pending: number | undefined }} sent pending: undefined where it was not counted */
  end ({ lastSeq, pending }) {
    this.#out.push(this.#format.close(this.#sequence(lastSeq), pending === undefined ? '' : `,"pending":${pending}`))
    this.#out.end()
  }

  /** @param {number | string} sequence a text of a member's part of a database */
  #sequence (sequence) { return typeof sequence === 'string' ? `"${sequence}"` : `"${sequence}${this.#suffix}"` }

  /** @param {WrittenChange} change @param {string} seq @returns {string | Promise<string>} */
  #toRow ({ id, changes, deleted, document, docs, gone }, seq) {
    const revisions = changes.length === 1 ? `{"rev":"${changes[0].rev}"}` : changes.map(({ rev }) => `{"rev":"${rev}"}`).join(',')
    const end = gone ? '],"deleted":true,"_access":false' : deleted ? '],"deleted":true' : ']'
    const head = `{"seq":${seq},"id":${JSON.stringify(id)},"changes":[${revisions}${end}`
    if (docs !== undefined) return `${head},"docs":[${docs.join(',')}]}`
    if (!this.#includeDocs) return `${head}}`
    const doc = document === undefined ? 'null' : this.#toDoc(document)
    return doc instanceof Promise ? doc.then(text => `${head},"doc":${text}}`) : `${head},"doc":${doc}}`
  }

  /** @param {Document} document @returns {string | Promise<string>} a promise where fields of a large one are shown */
  #toDoc (document) {
    const options = { encodings: this.#encodings }
    return this.#project === undefined ? toJson(document, options) : chooseInTurns(document, this.#project, options)
  }
}

module.exports = { ChangesWriter, formats }
