'use strict'

const { DocumentStore } = require('@potoroo/document-store')

/**
 * Leaks, each of one verb: what a member's part of a database does wrong. A function gets the part and the whole database.
 *
 * @type {Record<string, (part: any, whole: any) => any>}
 */
const leaks = {
  'a list of all documents': (part, whole) => ({ allDocs: (/** @type {any} */ options) => whole.allDocs(options) }),
  'a feed of all changes': (part, whole) => ({ changes: (/** @type {any} */ options) => whole.changes({ ...options, since: 0 }) }),
  'a live feed of all changes': (part, whole) => ({ follow: (/** @type {any} */ options) => whole.follow({ ...options, since: 0 }) }),
  'a live query of all': (part, whole) => ({ liveSource: whole.liveSource }),
  'a document by its revision': (part, whole) => ({ get: (/** @type {string} */ id, /** @type {any} */ options) => options?.rev === undefined ? part.get(id, options) : whole.get(id, options) }),
  'many documents by their revisions': (part, whole) => ({ bulkGet: (/** @type {any} */ requests, /** @type {any} */ options) => requests.some((/** @type {any} */ { rev }) => rev !== undefined) ? whole.bulkGet(requests, options) : part.bulkGet(requests, options) }),
  'open revisions': (part, whole) => ({ openRevs: (/** @type {any[]} */ ...given) => whole.openRevs(...given) }),
  'possible ancestors': (part, whole) => ({ revsDiff: (/** @type {any[]} */ ...given) => whole.revsDiff(...given) }),
  'attachments of all': (part, whole) => ({ getAttachment: (/** @type {any[]} */ ...given) => whole.getAttachment(...given) }),
  'local documents of all': (part, whole) => ({ getLocal: whole.getLocal.bind(whole), allLocal: whole.allLocal.bind(whole), putLocal: whole.putLocal.bind(whole), removeLocal: whole.removeLocal.bind(whole) }),
  'a count of all documents': (part, whole) => ({ info: async () => ({ ...await part.info(), docCount: (await whole.info()).docCount }) }),
  'a count of deleted documents': (part, whole) => ({ info: async () => ({ ...await part.info(), docDelCount: (await whole.info()).docDelCount }) }),
  'the size of all': (part, whole) => ({ info: async () => ({ ...await part.info(), sizes: (await whole.info()).sizes }) }),
  'the sequence of all': (part, whole) => ({ info: async () => ({ ...await part.info(), updateSeq: whole.updateSeq }) }),
  'writes without rules': (part, whole) => ({ write: (/** @type {any[]} */ ...given) => whole.write(...given), put: (/** @type {any[]} */ ...given) => whole.put(...given) })
}

/**
 * Does some work while a leak is there.
 *
 * @template T
 * @param {string} what a key of `leaks`
 * @param {() => Promise<T>} work
 */
async function withLeak (what, work) {
  const { forMember } = DocumentStore.prototype
  DocumentStore.prototype.forMember = function (user) {
    const part = forMember.call(this, user)
    const wrong = leaks[what](part, this)
    return new Proxy(part, {
      get (target, name) {
        if (Object.hasOwn(wrong, name)) return wrong[name]
        const value = Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      }
    })
  }
  try {
    return await work()
  } finally {
    DocumentStore.prototype.forMember = forMember
  }
}

module.exports = { leaks, withLeak }
