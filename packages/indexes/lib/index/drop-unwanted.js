'use strict'

const { toObjectInTurns } = require('@potoroo/document-store')
const { Catalogue } = require('./catalogue')

/**
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('@potoroo/document-store').Document} Document
 */

/**
 * Drops the indexes of a kind that no design document asks for.
 *
 * @param {DocumentStore} database
 * @param {(signature: string) => boolean} isOfKind
 * @param {(ddoc: any) => Array<string | undefined> | Promise<Array<string | undefined>>} signaturesIn a design document
 */
async function dropUnwanted (database, isOfKind, signaturesIn) {
  const wanted = new Set()
  const { rows } = await database.allDocs({ startkey: '_design/', endkey: '_design0', includeDocs: true })
  for await (const page of /** @type {AsyncIterable<Array<{ document?: Document | null }>>} */ (rows)) {
    for (const { document } of page) {
      if (document) for (const signature of await signaturesIn(await toObjectInTurns(document))) wanted.add(signature)
    }
  }
  const catalogue = await Catalogue.of(database)
  for (const signature of catalogue.signatures()) if (isOfKind(signature) && !wanted.has(signature)) await catalogue.drop(signature)
}

module.exports = { dropUnwanted }
