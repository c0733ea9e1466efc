'use strict'

const { BadStream } = require('./bad-stream')
const { ChangeStream, queryOf } = require('./change-stream')
const { HeldCheckpoints } = require('./held-checkpoints')
const { StreamedDocuments } = require('./streamed-documents')

/** The name that a server's features have for the stream. */
const FEATURE = 'replication-feed'

/** A stream is opened if at least this many changes are pending. */
const MANY = 200

/** Milliseconds that an answer of info() is used again during a stream. It is only shown to the application. */
const SHOWN_FOR = 1000

/** Milliseconds that a stream may be silent. */
const TIMEOUT = 60_000

/** Methods of the real database that a replication, and the feed of changes that it opens, call besides those of FastSource. */
const PASSED = ['bulkDocs', 'id', 'once', 'removeListener', 'revsDiff']

/** Properties of the real database that they read. */
const READ = ['_remote', 'activeTasks', 'adapter', 'name', 'taskqueue']

/**
 * A database behind HTTP as a replication sees it: if there are many changes, they come with their documents in one stream.
 * `database` is for the replication alone, and has what it uses.
 */
class FastSource {
  #source
  /** Whether its server streams, once that is known. @type {Promise<boolean> | undefined} */
  #streams
  /** @type {ChangeStream | undefined} */
  #stream
  #pending = 0
  #documents
  #checkpoints
  /** @type {{ at: number, told: Promise<any> } | undefined} */
  #info
  #timeout

  /** @param {any} source a PouchDB of the adapter `http` @param {{ stream_timeout?: number }} [options] of the replication */
  constructor (source, { stream_timeout: timeout = TIMEOUT } = {}) {
    this.#source = source
    this.#timeout = timeout
    this.#documents = new StreamedDocuments(source)
    this.#checkpoints = new HeldCheckpoints(source)
    this.database = this.#methods()
    for (const name of READ) Object.defineProperty(this.database, name, { get: () => source[name] })
  }

  /** Ends its stream with the replication. @param {any} replication @returns {any} the same */
  follow (replication) {
    const close = () => this.#close()
    for (const event of ['cancel', 'complete', 'error']) replication.once(event, close)
    replication.on('paused', () => this.#checkpoints.flush())
    return replication
  }

  /** Whether batches follow each other without waiting for the network. */
  get #isBusy () { return this.#stream !== undefined || this.#documents.isWaiting }

  /** @returns {Record<string, any>} */
  #methods () {
    const source = this.#source
    const passed = PASSED.map(name => [name, (/** @type {any[]} */ ...args) => source[name](...args)])
    return {
      ...Object.fromEntries(passed),
      // The feed asks `_changes` of what it is called on.
      changes: (/** @type {any[]} */ ...args) => source.changes.apply(this.database, args),
      _changes: (/** @type {any} */ options) => this.#changes(options),
      bulkGet: (/** @type {any} */ options, /** @type {any} */ callback) => callback === undefined ? this.#documents.bulkGet(options) : source.bulkGet(options, callback),
      getAttachment: (/** @type {any[]} */ ...args) => this.#documents.attachment(args) ?? source.getAttachment(...args),
      get: (/** @type {any[]} */ ...args) => this.#checkpoints.get(args) ?? source.get(...args),
      put: (/** @type {any[]} */ ...args) => this.#checkpoints.put(args, this.#isBusy) ?? source.put(...args),
      info: (/** @type {any[]} */ ...args) => args.length === 0 && this.#isBusy ? this.#shownInfo() : source.info(...args)
    }
  }

  /**
   * As the adapter's own: a replication asks for some changes at a time.
   * @param {any} options
   * @returns {{ cancel: () => void }}
   */
  #changes (options) {
    if (!isPage(options)) return this.#source._changes(options)
    let isCancelled = false
    /** @type {{ cancel: () => void } | undefined} */
    let ordinary
    this.#page(options).then(page => {
      if (isCancelled) return
      if (page === undefined) ordinary = this.#source._changes(this.#counting(options))
      else tell(page, options)
    })
    return { cancel: () => { isCancelled = true; ordinary?.cancel() } }
  }

  /** Notes how many changes are still to come. @param {any} options */
  #counting (options) {
    return {
      ...options,
      onChange: (/** @type {any} */ change, /** @type {number | undefined} */ pending, /** @type {any} */ lastSeq) => {
        this.#pending = pending ?? 0
        return options.onChange(change, pending, lastSeq)
      }
    }
  }

  /** @param {any} options @returns {Promise<import('./change-stream').Page | undefined>} undefined: it is not in a stream */
  async #page (options) {
    try {
      const stream = await this.#streamFrom(options)
      if (stream === undefined) return undefined
      const page = await stream.read(options.limit)
      this.#pending = 0
      if (stream.ended) this.#stream = undefined
      if (page !== undefined) this.#documents.add(page)
      return page
    } catch (error) {
      if (error instanceof BadStream) this.#streams = Promise.resolve(false)
      // Whatever is wrong with it, the ordinary way goes on from where the replication is, or says what is wrong.
      this.#close()
      this.#pending = 0
      return undefined
    }
  }

  /** @param {any} options @returns {Promise<ChangeStream | undefined>} one that goes on from there */
  async #streamFrom (options) {
    if (this.#stream?.isAt(options.since)) return this.#stream
    this.#close()
    if (this.#pending < MANY || !await this.#canStream()) return undefined
    this.#stream = await ChangeStream.open(this.#source, queryOf(options), options.since, this.#timeout)
    if (this.#stream === undefined) this.#streams = Promise.resolve(false)
    return this.#stream
  }

  #canStream () {
    this.#streams ??= this.#source.fetch('../').then((/** @type {any} */ response) => response.json())
      .then((/** @type {any} */ { features }) => Array.isArray(features) && features.includes(FEATURE), () => false)
    return this.#streams
  }

  #shownInfo () {
    if (this.#info === undefined || Date.now() - this.#info.at > SHOWN_FOR) this.#info = { at: Date.now(), told: this.#source.info() }
    return this.#info.told
  }

  #close () {
    this.#stream?.close()
    this.#stream = undefined
    this.#checkpoints.flush()
  }
}

/** Tells whether a replication asks. @param {any} options */
function isPage ({ style, limit, live, continuous, descending, include_docs: includeDocs, filter }) {
  return style === 'all_docs' && limit > 0 && !live && !continuous && !descending && !includeDocs && typeof filter !== 'function'
}

/** @param {import('./change-stream').Page} page @param {any} options */
function tell ({ changes, pending, lastSeq }, options) {
  for (const change of changes) options.onChange(change, pending, lastSeq)
  options.complete(null, { results: changes, last_seq: lastSeq })
}

module.exports = { FastSource }
