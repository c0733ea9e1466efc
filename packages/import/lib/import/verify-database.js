'use strict'

const crypto = require('node:crypto')
const { isDeepStrictEqual } = require('node:util')
const { exactForm, parseExact, stringifyExact } = require('@potoroo/document-store')
const { Checkpoint } = require('./checkpoint')
const { isWanted } = require('./local-documents')
const { orderedMap } = require('./ordered-map')
const { isPublic, isSameSecurity, securityAfterImport } = require('./security')

const AT_ONCE = 4

/** Each server makes this in its database of users, and no two of them the same. */
const OWN_DESIGN = '_design/_auth'
const USERS = /(^|\/)_users$/

/**
 * @typedef {import('./source').Source} Source
 * @typedef {import('./source').Revision} Revision
 * @typedef {import('./source').Chunk} Chunk
 * @typedef {import('./store-target').Target} Target
 * @typedef {import('./store-target').StoredRevision} StoredRevision
 * @typedef {import('./store-target').StoredAttachment} StoredAttachment
 * @typedef {{ id: string, rev?: string, what: string }} Difference
 * @typedef {{ documents: number, revisions: number, attachments: number, locals: number, differences: number }} Verdict
 */

/** Compares a database with what an import made of it. */
class Verification {
  #source
  #target
  #options
  /** @type {Verdict} */
  #verdict = { documents: 0, revisions: 0, attachments: 0, locals: 0, differences: 0 }

  /** @param {Source} source @param {Target} target @param {import('../..').VerifyOptions} options */
  constructor (source, target, options) {
    this.#source = source
    this.#target = target
    this.#options = options
  }

  async run () {
    let done = 0
    for await (const { failures, left, ...chunk } of orderedMap(this.#source.changes(0), AT_ONCE, chunk => this.#compare(chunk))) {
      this.#options.signal?.throwIfAborted()
      for (const { id, rev, reason } of failures) this.#report({ id, rev, what: `cannot be read in the source: ${reason}` })
      done += chunk.done
      this.#options.onProgress?.({ ...this.#verdict, done, left })
    }
    await this.#findMore()
    await this.#compareLocals()
    await this.#compareSecurity()
    return this.#verdict
  }

  /** @param {Difference} difference */
  #report (difference) {
    this.#verdict.differences++
    this.#options.onDifference?.(difference)
  }

  /** @param {Chunk} chunk */
  async #compare (chunk) {
    const { changes } = chunk
    const [{ documents, failures }, stored] = await Promise.all([
      this.#source.read(changes, { content: false }),
      this.#target.leaves(changes)
    ])
    const byId = new Map(changes.map(({ id }, i) => [id, stored[i]]))
    for (const { id, revisions } of documents) {
      this.#verdict.documents++
      for (const revision of revisions) await this.#compareRevision(id, revision, /** @type {StoredRevision[]} */ (byId.get(id)))
    }
    return { ...chunk, failures: [...chunk.failures, ...failures] }
  }

  /** @param {string} id @param {Revision} revision @param {StoredRevision[]} leaves */
  async #compareRevision (id, revision, leaves) {
    const { rev } = revision
    this.#verdict.revisions++
    const own = leaves.find(leaf => leaf.rev === rev)
    if (own === undefined) {
      const missing = leaves.length === 0 || (await this.#target.missing({ [id]: [rev] }))[id].length > 0
      return this.#report({ id, rev, what: missing ? 'is missing' : 'is no leaf any more' })
    }
    if (own.deleted !== revision.deleted) this.#report({ id, rev, what: `is ${revision.deleted ? 'not ' : ''}deleted` })
    if (!isDeepStrictEqual(own.revisions, revision.revisions)) this.#report({ id, rev, what: 'has another history' })
    if (!isSameJson(own.members, revision.members)) this.#report({ id, rev, what: 'has another body' })
    await this.#compareAttachments(id, revision, own)
  }

  /** @param {string} id @param {Revision} revision @param {StoredRevision} own */
  async #compareAttachments (id, { rev, attachments }, own) {
    const names = new Set([...attachments, ...own.attachments].map(({ name }) => name))
    for (const name of names) {
      this.#verdict.attachments++
      const there = attachments.find(attachment => attachment.name === name)
      const here = own.attachments.find(attachment => attachment.name === name)
      const what = there === undefined ? 'is only here' : here === undefined ? 'is missing' : await differenceOf(there, here)
      if (what !== null) this.#report({ id, rev, what: `attachment ${name} ${what}` })
    }
  }

  /** Finds what the target has and the source has not. */
  async #findMore () {
    for await (const page of this.#target.changes()) {
      const missing = await this.#source.missing(Object.fromEntries(page.map(({ id, revs }) => [id, revs])))
      for (const { id } of page) {
        if (id === OWN_DESIGN && USERS.test(this.#target.label)) continue
        for (const rev of missing[id]) this.#report({ id, rev, what: 'is only here' })
      }
    }
  }

  async #compareLocals () {
    const { sequencesKept } = await Checkpoint.open(this.#target, this.#source)
    const renumbered = this.#source.numbered && !sequencesKept
    for await (const page of this.#source.locals()) {
      const wanted = page.filter(({ id, body }) => body !== null && isWanted(id, body, renumbered))
      const stored = await this.#target.getLocals(wanted.map(({ id }) => id))
      wanted.forEach(({ id, body }, i) => {
        this.#verdict.locals++
        if (stored[i] === null) this.#report({ id, what: 'is missing' })
        else if (!isSameJson(stored[i].body, body)) this.#report({ id, what: 'has another body' })
      })
    }
  }

  async #compareSecurity () {
    if (this.#options.security === false) return
    const [wanted, there] = [securityAfterImport(await this.#source.security(), this.#options.open === true), await this.#target.getSecurity()]
    if (!isSameSecurity(there, wanted)) this.#report({ id: '_security', what: isPublic(there) ? 'lets everybody in' : 'lets in others' })
  }
}

/** @param {StoredAttachment} there @param {StoredAttachment} here */
async function differenceOf (there, here) {
  if (there.contentType !== here.contentType) return `has the type ${here.contentType}, not ${there.contentType}`
  if (there.digest === here.digest) return null
  const [digest, own] = await Promise.all([plainDigest(there), plainDigest(here)])
  return digest === own ? null : `has the digest ${own}, not ${digest}`
}

/**
 * Returns the digest of plain content; if a digest is of compressed content, it reads the content.
 * @param {StoredAttachment} attachment
 */
function plainDigest ({ encoded, digest, open }) {
  return encoded === null ? digest : digestOf(/** @type {NonNullable<typeof open>} */ (open)())
}

/** @param {AsyncIterable<Uint8Array>} content */
async function digestOf (content) {
  const hash = crypto.createHash('md5')
  for await (const part of content) hash.update(part)
  return 'md5-' + hash.digest('base64')
}

/**
 * As JSON: members in any order, and what JSON does not tell apart is the same.
 * @param {any} one
 * @param {any} other
 */
function isSameJson (one, other) {
  return isDeepStrictEqual(normal(one), normal(other))
}

/** @param {any} value */
function normal (value) {
  return value === undefined || value === null ? value : JSON.parse(JSON.stringify(exactForm(parseExact(stringifyExact(value)))))
}

/**
 * Compares a source with a target: leaf revisions, their histories, bodies and attachments' digests,
 * local documents, security.
 *
 * @param {Source} source
 * @param {Target} target
 * @param {import('../..').VerifyOptions} [options]
 * @returns {Promise<Verdict>}
 */
function verifyDatabase (source, target, options = {}) {
  return new Verification(source, target, options).run()
}

module.exports = { verifyDatabase }
