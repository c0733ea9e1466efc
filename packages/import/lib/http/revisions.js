'use strict'

const { pipeline } = require('node:stream/promises')
const { createGunzip } = require('node:zlib')
const { verified } = require('../import/digest')
const { isPassing } = require('../import/retry')

/** A request that asks for many is sent again twice only: one bad document spoils it, so it is soon cut in two. */
const RETRIES = 2

/**
 * Reads revisions of a database by the replicator's requests.
 *
 * @typedef {import('./remote').Remote} Remote
 * @typedef {import('../import/source').Revision} Revision
 * @typedef {import('../import/source').Attachment} Attachment
 * @typedef {import('../import/source').Failure} Failure
 * @typedef {{ id: string, rev: string, attsSince: string[] }} Wanted
 * @typedef {import('@potoroo/replicator').RemoteDocument & { size: number }} Found
 */
class RevisionReader {
  #remote

  /** Characters of JSON that a document takes; a guess at first. */
  average = 16 * 1024

  /** @param {Remote} remote */
  constructor (remote) {
    this.#remote = remote
  }

  /**
   * @param {Array<{ id: string, revs: string[], seq?: any }>} changes a revision that is no leaf any more gives way to its descendants
   * @param {boolean} content whether small content is fetched at once
   */
  async read (changes, content) {
    const failures = /** @type {Failure[]} */ ([])
    const wanted = changes.flatMap(({ id, revs }) => revs.map(rev => ({ id, rev, attsSince: [] })))
    const found = await this.#fetch(wanted, { content: content ? 'plain' : 'later', retries: RETRIES }, failures)
    if (found.length > 0) this.average += (found.reduce((sum, { size }) => sum + size, 0) / found.length - this.average) / 4
    // A leaf that several of the wanted revisions lead to comes once.
    /** @type {Map<string, Map<string, Revision>>} */
    const revisions = new Map(changes.map(({ id }) => [id, new Map()]))
    for (const document of found) {
      try {
        revisions.get(document.id)?.set(document.rev, await this.#toRevision(document))
      } catch (error) {
        failures.push({ id: document.id, rev: document.rev, reason: error.message })
      }
    }
    const documents = changes.map(({ id, seq }) => ({ id, seq, revisions: [...revisions.get(id)?.values() ?? []] }))
    return { documents: documents.filter(({ revisions }) => revisions.length > 0), failures }
  }

  /**
   * Finds by halves what spoils a request; the rest comes over.
   * @param {Wanted[]} wanted
   * @param {{ content: 'plain' | 'later', retries: number }} how
   * @param {Failure[]} failures
   * @returns {Promise<Found[]>}
   */
  async #fetch (wanted, how, failures) {
    try {
      const all = (await collect(this.#remote.fetch(wanted, how))).flat()
      for (const each of all) if ('missing' in each) failures.push({ id: each.id, rev: each.rev, reason: `the source has no such revision (${each.reason})` })
      return /** @type {Found[]} */ (all.filter(each => !('missing' in each)))
    } catch (error) {
      if (error.status === undefined || error.code === 'UNAUTHORIZED') throw error
      if (wanted.length === 1) {
        if (isPassing(error)) await this.#remote.ask('GET', '')
        failures.push({ id: wanted[0].id, rev: wanted[0].rev, reason: error.message })
        return []
      }
      const middle = Math.ceil(wanted.length / 2)
      return [...await this.#fetch(wanted.slice(0, middle), how, failures), ...await this.#fetch(wanted.slice(middle), how, failures)]
    }
  }

  /** @param {Found} document @returns {Promise<Revision>} of underscore members only those of the replicator belong to it */
  async #toRevision ({ rev, doc, attachments }) {
    const { _id, _rev, _deleted, _revisions = historyOf(rev), ...members } = await doc()
    return { rev, revisions: _revisions, deleted: _deleted === true, members, attachments: Object.entries(attachments ?? {}).map(([name, each]) => this.#toAttachment(name, each)) }
  }

  /** @param {string} name @param {any} attachment @returns {Attachment} */
  #toAttachment (name, { content_type: contentType, digest, length = null, revpos = null, encoding: encoded = null, data }) {
    const attachment = { name, contentType, digest, length, revpos, encoded }
    if (typeof data === 'string') return { ...attachment, data: Buffer.from(data, 'base64'), open: null }
    return { ...attachment, data: null, open: () => encoded === null ? this.#remote.reading(data) : this.#unzipped(data, attachment) }
  }

  /**
   * Content that is stored compressed comes compressed, because its digest is that of the compressed bytes.
   * @param {import('@potoroo/replicator').AttachmentContent} content
   * @param {Omit<Attachment, 'data' | 'open'>} attachment
   * @returns {AsyncGenerator<Buffer>}
   */
  async * #unzipped (content, attachment) {
    const pieces = /** @type {AsyncGenerator<any, void>} */ (this.#remote.reading(content))
    const first = await pieces.next()
    const bytes = startingWith(first, pieces)
    // Content that is no gzip comes as it is, whatever is said of it.
    if (content.encoding !== 'gzip') yield * bytes
    else yield * unzip(verified(bytes, { ...attachment, encoded: null, length: null }))
  }
}

/** @param {string} rev */
function historyOf (rev) {
  const dash = rev.indexOf('-')
  return { start: Number(rev.slice(0, dash)), ids: [rev.slice(dash + 1)] }
}

/** @template T @param {IteratorResult<T, void>} first @param {AsyncGenerator<T, void>} rest */
async function * startingWith (first, rest) {
  try {
    if (!first.done) yield first.value
    yield * rest
  } finally {
    await rest.return() // it may never have been asked for more
  }
}

/** @param {AsyncIterable<Buffer>} bytes @returns {AsyncGenerator<Buffer>} */
async function * unzip (bytes) {
  const gunzip = createGunzip()
  const piped = pipeline(bytes, gunzip)
  piped.catch(() => {}) // the reader below meets it
  yield * gunzip
  await piped
}

/** @template T @param {AsyncIterable<T>} iterable @returns {Promise<T[]>} */
async function collect (iterable) {
  const all = []
  for await (const item of iterable) all.push(item)
  return all
}

module.exports = { RevisionReader, collect }
