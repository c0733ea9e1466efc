'use strict'

/**
 * Returns a document's path below its database; the slash of `_design/` and `_local/` stands as it is.
 * @param {string} id
 */
function documentPath (id) {
  const special = /^_(design|local)\//.exec(id)?.[0] ?? ''
  return `/${special}${encodeURIComponent(id.slice(special.length))}`
}

/**
 * Returns a query string: `{ a: 1, b: [2] }` → `?a=1&b=%5B2%5D`
 * @param {Record<string, any>} parameters
 */
function query (parameters) {
  const text = Object.entries(parameters).filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`).join('&')
  return text === '' ? '' : `?${text}`
}

module.exports = { documentPath, query }
