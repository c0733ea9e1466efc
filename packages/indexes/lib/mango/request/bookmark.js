'use strict'

const { invalidBookmark } = require('./find-request')
const { assertShallow } = require('../selector/normalize-selector')

/**
 * The place at which a page ended: the row of its last document. So the next page costs no more than itself,
 * whatever was written meanwhile.
 *
 * @typedef {object} Bookmark
 * @property {string} print of the plan that documents are found by
 * @property {number} scan
 * @property {any} key
 * @property {string} id
 */

/** @param {Bookmark} bookmark */
function writeBookmark ({ print, scan, key, id }) {
  return Buffer.from(JSON.stringify([print, scan, key, id])).toString('base64url')
}

/**
 * @param {string} text
 * @returns {Bookmark}
 * @throws invalid_bookmark
 */
function readBookmark (text) {
  let parts
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString())
    assertShallow(parts)
  } catch {
    throw invalidBookmark(text)
  }
  const [print, scan, key, id] = Array.isArray(parts) ? parts : []
  if (typeof print !== 'string' || !Number.isSafeInteger(scan) || scan < 0 || typeof id !== 'string' || !(Array.isArray(key) || key === id)) throw invalidBookmark(text)
  return { print, scan, key, id }
}

module.exports = { readBookmark, writeBookmark }
