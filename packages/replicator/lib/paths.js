'use strict'

/** A document's path under its database's. */
function documentPath (id) {
  return id.startsWith('_design/') ? `_design/${encodeURIComponent(id.slice(8))}` : encodeURIComponent(id)
}

function attachmentPath (id, name) {
  return `${documentPath(id)}/${name.split('/').map(encodeURIComponent).join('/')}`
}

module.exports = { documentPath, attachmentPath }
