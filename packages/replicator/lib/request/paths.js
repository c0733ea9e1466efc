'use strict'

/**
 * A document's path under its database's.
 *
 * @param {string} id
 */
function documentPath (id) {
  if (id.startsWith('_design/')) return `_design/${segment(id.slice(8))}`
  if (id.startsWith('_local/')) return `_local/${segment(id.slice(7))}`
  return segment(id)
}

/** @param {string} id @param {string} name */
function attachmentPath (id, name) {
  return `${documentPath(id)}/${name.split('/').map(segment).join('/')}`
}

/**
 * Dots are a segment as others are; in between, somebody may fold those that are not encoded.
 *
 * @param {string} text
 */
function segment (text) {
  return text === '.' || text === '..' ? text.replaceAll('.', '%2E') : encodeURIComponent(text)
}

module.exports = { documentPath, attachmentPath }
