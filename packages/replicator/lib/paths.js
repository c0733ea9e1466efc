'use strict'

/** A document's path under its database's. */
function documentPath (id) {
  if (id.startsWith('_design/')) return `_design/${encodeURIComponent(id.slice(8))}`
  if (id.startsWith('_local/')) return `_local/${encodeURIComponent(id.slice(7))}`
  return encodeURIComponent(id)
}

function attachmentPath (id, name) {
  return `${documentPath(id)}/${name.split('/').map(encodeURIComponent).join('/')}`
}

module.exports = { documentPath, attachmentPath }
