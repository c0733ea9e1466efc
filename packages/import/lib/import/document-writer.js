'use strict'

const { compose } = require('./compose')
const { isPassing, retry } = require('./retry')

/** Digests that are remembered: content that many documents share is brought once. */
const REMEMBERED = 20_000

/**
 * Writes documents of a source into a target. One whose attachments are read while they are
 * written has a commit of its own, with all its leaves, so that what goes wrong there is its alone.
 *
 * @typedef {import('./source').SourceDocument} SourceDocument
 * @typedef {import('./source').Attachment} Attachment
 * @typedef {(failure: import('./source').Failure) => void} OnFailure
 *
 * @typedef {object} Attempt documents that are written together
 * @property {Record<string, any>[]} docs as the target takes them
 * @property {Array<{ document: SourceDocument, revision: import('./source').Revision }>} from aligned
 * @property {Array<[Attachment, number]>} contents attachments that were read, and their bytes
 * @property {boolean} stubs whether some refer to content that should be there
 */
class DocumentWriter {
  #target
  #options
  /** Digests of content that the target has. @type {Set<string>} */
  #stored = new Set()

  /**
   * @param {import('./store-target').Target} target
   * @param {object} options
   * @param {import('./summary').Summary} options.summary
   * @param {number} [options.tries] of a document whose attachments are streamed. Default 5
   * @param {AbortSignal} [options.signal]
   * @param {(message: string) => void} [options.onNotice]
   * @param {OnFailure} options.onFailure
   */
  constructor (target, options) {
    this.#target = target
    this.#options = options
  }

  /**
   * @param {SourceDocument[]} documents in the order of their sequence
   * @param {import('./checkpoint').Checkpoint} checkpoint that all of them are written
   */
  async write (documents, checkpoint) {
    const { onFailure } = this.#options
    let together = /** @type {SourceDocument[]} */ ([])
    for (const document of documents) {
      if (!isStreamed(document)) together.push(document)
      else {
        await this.#writeTogether(together, onFailure)
        together = []
        await this.#writeStreamed(document)
      }
    }
    await this.#writeTogether(together, onFailure, checkpoint)
  }

  /**
   * Writes with the checkpoint in the same commit, unless what is written may have to be written again.
   * @param {SourceDocument[]} documents
   * @param {OnFailure} onFailure
   * @param {import('./checkpoint').Checkpoint} [checkpoint]
   * @returns {Promise<void>}
   */
  async #writeTogether (documents, onFailure, checkpoint = undefined) {
    const attempt = this.#compose(documents, onFailure)
    const inOneCommit = checkpoint !== undefined && !attempt.stubs
    if (attempt.docs.length > 0 || inOneCommit) {
      const results = await this.#target.write(attempt.docs, inOneCommit ? checkpoint : undefined)
      const again = this.#sort(attempt, results, onFailure)
      if (again.length > 0) await this.#writeTogether(again, onFailure)
    }
    if (checkpoint !== undefined && !inOneCommit) await this.#target.write([], checkpoint)
  }

  /** @param {SourceDocument[]} documents @param {OnFailure} onFailure @returns {Attempt} */
  #compose (documents, onFailure) {
    /** @type {Attempt} */
    const attempt = { docs: [], from: [], contents: [], stubs: false }
    const isStored = (/** @type {string} */ digest) => {
      const stored = this.#target.sharesContent && this.#stored.has(digest)
      attempt.stubs ||= stored
      return stored
    }
    for (const document of documents) {
      for (const revision of document.revisions) {
        try {
          attempt.docs.push(compose(document, revision, isStored, (attachment, bytes) => attempt.contents.push([attachment, bytes])))
          attempt.from.push({ document, revision })
        } catch (error) {
          onFailure({ id: document.id, rev: revision.rev, reason: error.message })
        }
      }
    }
    return attempt
  }

  /**
   * Counts what was written.
   * @param {Attempt} attempt
   * @param {any[]} results
   * @param {OnFailure} onFailure
   * @returns {SourceDocument[]} documents to write again: content thought to be there was not
   */
  #sort ({ from, contents, stubs }, results, onFailure) {
    const { summary } = this.#options
    const again = /** @type {SourceDocument[]} */ ([])
    const written = new Set()
    results.forEach((result, i) => {
      const { document, revision } = from[i]
      if (!(result instanceof Error)) {
        written.add(document)
        summary.revisions++
        summary.attachments += revision.attachments.length
      } else if (/** @type {any} */ (result).code === 'MISSING_STUB' && stubs) again.push({ ...document, revisions: [revision] })
      else onFailure({ id: document.id, rev: revision.rev, reason: /** @type {any} */ (result).reason ?? result.message })
    })
    summary.documents += written.size
    if (again.length > 0) this.#stored.clear()
    for (const [attachment, bytes] of contents) this.#remember(attachment, bytes)
    return again
  }

  /** @param {Attachment} attachment @param {number} bytes */
  #remember ({ digest }, bytes) {
    this.#options.summary.bytes += bytes
    if (this.#stored.size >= REMEMBERED) this.#stored.clear()
    this.#stored.add(digest)
  }

  /** @param {SourceDocument} document @returns {Promise<void>} */
  async #writeStreamed (document) {
    const { tries = 5, signal, onNotice, onFailure } = this.#options
    const onPause = (/** @type {Error} */ error, /** @type {number} */ pause) => onNotice?.(`${error.message}; again in ${(pause / 1000).toFixed(1)} s`)
    try {
      const failures = await retry(() => this.#attempt(document), { tries, signal, onPause, passing: isPassing })
      for (const failure of failures) onFailure(failure)
    } catch (error) {
      if (error.rev === undefined || isPassing(error)) throw error
      onFailure({ id: document.id, rev: error.rev, reason: error.message })
      const revisions = document.revisions.filter(({ rev }) => rev !== error.rev)
      if (revisions.length > 0) await this.#writeStreamed({ ...document, revisions })
    }
  }

  /** @param {SourceDocument} document */
  async #attempt (document) {
    const failures = /** @type {import('./source').Failure[]} */ ([])
    await this.#writeTogether([document], failure => failures.push(failure))
    return failures
  }
}

/** @param {SourceDocument} document */
function isStreamed ({ revisions }) {
  return revisions.some(({ attachments }) => attachments.some(({ data }) => data === null))
}

module.exports = { DocumentWriter }
