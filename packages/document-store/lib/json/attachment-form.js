'use strict'

/** Attachments in CouchDB's JSON form. */

/**
 * @typedef {import('../..').AttachmentInfo} AttachmentInfo
 * @typedef {(data: Buffer, info: AttachmentInfo) => any} AttachmentData how content is told
 */

/** @param {Buffer} data */
function toBase64 (data) {
  return data.toString('base64')
}

/**
 * @param {AttachmentInfo} info
 * @param {AttachmentData} attachmentData
 * @param {boolean} encodings
 */
function attachmentForm (info, attachmentData, encodings) {
  const { contentType, revpos, digest, length, data } = info
  const form = { content_type: contentType, revpos, digest, ...(data === undefined ? { length, stub: true } : { data: attachmentData(data, info) }) }
  return encodings ? { ...form, ...encodingForm(info) } : form
}

/**
 * Returns what `att_encoding_info` asks for.
 *
 * @param {AttachmentInfo} options
 */
function encodingForm ({ encoding, encodedLength }) {
  return encoding === undefined ? {} : { encoding, encoded_length: encodedLength }
}

module.exports = { attachmentForm, encodingForm, toBase64 }
