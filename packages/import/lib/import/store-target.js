'use strict'

const { parseExact } = require('@potoroo/document-store')

/**
 * The place that documents go to: a document store. A server, by HTTP, looks the same: http/target.js.
 *
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {Record<string, any>} SentDocument as a document store takes it; its content may be streams
 * @typedef {{ rev: string, body: any }} LocalBody
 * @typedef {Omit<import('./source').Attachment, 'data'>} StoredAttachment
 * @typedef {Omit<import('./source').Revision, 'attachments'> & { attachments: StoredAttachment[] }} StoredRevision
 *
 * @typedef {object} Target
 * @property {string} label
 * @property {any} updateSeq undefined where sequences are the server's own
 * @property {boolean} byDocument whether its documents say who may read them
 * @property {boolean} keepsSequences whether documents can have the sequences that they come with
 * @property {boolean} sharesContent whether content that is stored can be referred to by its digest, from any document
 * @property {(length: number) => Promise<void>} admitHistory
 * @property {(limit: number) => Promise<void>} setRevsLimit
 * @property {(security: Record<string, any>) => Promise<void>} setSecurity
 * @property {() => Promise<any>} getSecurity
 * @property {(revs: Record<string, string[]>) => Promise<Record<string, string[]>>} missing which of these revisions are not there
 * @property {(docs: SentDocument[], checkpoint?: import('./checkpoint').Checkpoint) => Promise<any[]>} write
 * @property {(id: string) => Promise<LocalBody | null>} getLocal
 * @property {(ids: string[]) => Promise<Array<LocalBody | null>>} getLocals
 * @property {(docs: SentDocument[]) => Promise<any[]>} writeLocals
 * @property {(changes: Array<{ id: string, revs: string[] }>) => Promise<StoredRevision[][]>} leaves that documents have, aligned:
 *   all of them, or those that revisions of these lead to
 * @property {(ids: string[]) => Promise<any[][]>} accessLists the values of `_access` of documents' leaves, aligned
 * @property {() => AsyncIterable<Array<{ id: string, revs: string[] }>>} changes
 *
 * @implements {Target}
 */
class StoreTarget {
  #store

  /** @param {DocumentStore} store open */
  constructor (store) {
    this.#store = store
    this.label = store.name
  }

  get updateSeq () { return this.#store.updateSeq }
  /** Whether its documents say who may read them. */
  get byDocument () { return this.#store.byDocument }

  /** Whether documents can have the sequences that they come with. */
  keepsSequences = true

  /** Whether content that is stored can be referred to by its digest, from any document. */
  sharesContent = true

  /** @param {number} length of a history that must fit */
  async admitHistory (length) {
    if (length > this.#store.revsLimit) await this.#store.setRevsLimit(length)
  }

  /** @param {number} limit */
  async setRevsLimit (limit) { await this.#store.setRevsLimit(limit) }

  /** @param {Record<string, any>} security */
  async setSecurity (security) { await this.#store.setMeta('security', security) }

  async getSecurity () { return this.#store.getMeta('security') }

  /** @param {Record<string, string[]>} revs */
  async missing (revs) {
    const diff = await this.#store.revsDiff(revs)
    return Object.fromEntries(Object.keys(revs).map(id => [id, Object.hasOwn(diff, id) ? diff[id].missing : []]))
  }

  /**
   * @param {Record<string, any>[]} docs with `_revisions`, and `_local_seq` where they keep it
   * @param {import('./checkpoint').Checkpoint} [checkpoint]
   * @returns {Promise<any[]>} aligned with `docs`
   */
  async write (docs, checkpoint) {
    const all = checkpoint === undefined ? docs : [...docs, checkpoint.toDocument()]
    const results = await this.#store.write(all, { newEdits: false, keepSequences: true })
    if (checkpoint === undefined) return results
    const own = /** @type {any} */ (results.pop())
    if (own instanceof Error) throw own
    checkpoint.written(own.rev)
    return results
  }

  /** @param {string} id @returns {Promise<LocalBody | null>} */
  async getLocal (id) { return (await this.getLocals([id]))[0] }

  /** @param {string[]} ids @returns {Promise<Array<LocalBody | null>>} */
  async getLocals (ids) {
    const found = new Map((await this.#store.allLocal({ keys: ids })).map(({ id, rev, body }) => [id, { rev, body: parseExact(body) }]))
    return ids.map(id => found.get(id) ?? null)
  }

  /** @param {SentDocument[]} docs @returns {Promise<any[]>} */
  async writeLocals (docs) { return this.#store.write(docs, { keepLocal: true }) }

  /** @param {Array<{ id: string }>} changes @returns {Promise<StoredRevision[][]>} */
  leaves (changes) { return Promise.all(changes.map(async ({ id }) => (await this.#store.openRevs(id, 'all', { revs: true })).map((/** @type {any} */ { ok }) => toRevision(this.#store, ok)))) }

  /** @param {string[]} ids */
  async accessLists (ids) { return (await this.leaves(ids.map(id => ({ id })))).map(leaves => leaves.map(({ members }) => members._access)) }

  /** All documents that there are: pages of `{ id, revs }`. */
  async * changes () {
    for await (const page of this.#store.changes({ style: 'all_docs' })) {
      yield page.map(({ id, changes }) => ({ id, revs: changes.map(({ rev }) => rev) }))
    }
  }
}

/** @param {DocumentStore} store @param {any} document as the store has it @returns {StoredRevision} */
function toRevision (store, document) {
  const { rev, revisions, deleted, body, attachments } = document
  const list = Object.entries(attachments ?? {}).map(([name, { contentType, digest, length, revpos, encoding = null }]) => {
    return { name, contentType, digest, length, revpos, encoded: encoding, open: () => contentOf(store, document, name) }
  })
  return { rev, revisions, deleted, members: parseExact(body), attachments: list }
}

/** @param {DocumentStore} store @param {any} document @param {string} name */
async function * contentOf (store, document, name) {
  yield * (await store.getAttachment(document.id, name, { document })).stream()
}

module.exports = { StoreTarget }
