'use strict'

const { Turn, encodingForm, inTurns, namesOf, toJson } = require('@potoroo/document-store')
const { RelatedWriter } = require('@potoroo/multipart')

/** @typedef {import('@potoroo/document-store').Document} Document */
/** @typedef {import('@potoroo/document-store').AttachmentInfo} AttachmentInfo */

/**
 * Splits a document's attachments into those that are sent along and those that stay stubs, as
 * `attachments` and `atts_since` ask: with `atts_since`, what came after the newest of these
 * revisions that the document descends from.
 *
 * @param {Document} document read with `revs`
 * @param {string[] | undefined} since
 * @returns {Set<string>} names of those that are sent
 */
function attachmentsToSend (document, since) {
  const known = since === undefined ? 0 : newestCommon(document, since)
  const names = Object.keys(document.attachments ?? {})
  return new Set(names.filter(name => /** @type {Record<string, any>} */ (document.attachments)[name].revpos > known))
}

/**
 * @param {Document} document
 * @param {string[]} since
 * @returns {number} its generation, 0 for none
 */
function newestCommon ({ revisions }, since) {
  if (revisions === undefined) return 0
  const index = revisions.ids.findIndex((hash, i) => since.includes(`${revisions.start - i}-${hash}`))
  return index < 0 ? 0 : revisions.start - index
}

/**
 * A document and the content of attachments that `follow` it, as multipart/related has them: in the encoding in which
 * they are stored. Others run in between where there are very many.
 *
 * @param {import('../databases/database-view').AnyDatabase} database
 * @param {Document} document
 * @param {Set<string>} following names
 * @returns {Promise<RelatedWriter>}
 */
async function relatedOf (database, document, following) {
  const attachments = document.attachments ?? {}
  const names = namesOf(attachments)
  let members = ''
  await inTurns(names, name => { members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${JSON.stringify(followedForm(attachments[name], following.has(name)))}` })
  const json = toJson({ ...document, attachments: null })
  const related = new RelatedWriter(`${json.slice(0, -1)},"_attachments":{${members}}}`)
  const open = opener(database, document)
  await inTurns(names, name => { if (following.has(name)) related.add(follower(name, attachments[name], open)) })
  return related
}

/** @param {AttachmentInfo} info @param {boolean} follows */
function followedForm (info, follows) {
  return {
    content_type: info.contentType,
    revpos: info.revpos,
    digest: info.digest,
    length: info.length,
    [follows ? 'follows' : 'stub']: true,
    ...encodingForm(info)
  }
}

/**
 * Opens attachments one after the other. Each would read the whole document again, and there may be very many.
 *
 * @param {import('../databases/database-view').AnyDatabase} database
 * @param {Document} document
 */
function opener (database, document) {
  const turn = new Turn()
  return async (/** @type {string} */ name) => {
    if (turn.isLong) await turn.end()
    return (await database.getAttachment(document.id, name, { document })).streamStored()
  }
}

/** @param {string} name @param {AttachmentInfo} info @param {ReturnType<typeof opener>} open @returns {import('@potoroo/multipart').RelatedAttachment} */
function follower (name, { contentType, length, encoding, encodedLength }, open) {
  return { name, contentType, length: encodedLength ?? length, encoding, open: () => open(name) }
}

module.exports = { attachmentsToSend, relatedOf }
