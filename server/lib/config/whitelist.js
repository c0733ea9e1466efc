'use strict'

/**
 * Whether `[chttpd] config_whitelist` lets a setting be changed over HTTP. It is a list as Erlang writes
 * them, `[{chttpd,config_whitelist}, {log,level}, {cors,"*"}]`; nothing lets all. An entry that is no pair
 * does not count. A value that is no such list lets only itself be changed, so that nobody is locked out by a slip.
 *
 * @param {string} text
 * @param {string} section
 * @param {string} key
 * @returns {boolean}
 * @see https://docs.couchdb.org/en/stable/config/http.html#chttpd/config_whitelist
 */
function isWhitelisted (text, section, key) {
  if (text === '') return true
  const list = text.replace(/\s+/g, '')
  if (!LIST.test(list)) return section === 'chttpd' && key === 'config_whitelist'
  const pairs = [...list.matchAll(/\{([^{}]*)\}/g)].map(([, pair]) => pair.split(',').map(unquoted))
  return pairs.some(([s, k, ...more]) => more.length === 0 && s === section && (k === key || k === '*'))
}

/** Tuples, lists and words, none of them in another. */
const LIST = /^\[((\{[^{}]*\}|\[[^[\]{}]*\]|[^[\]{},]+)(,(\{[^{}]*\}|\[[^[\]{}]*\]|[^[\]{},]+))*)?\]\.?$/

/** Atoms and strings, `<<"x">>` among them. @param {string} term */
function unquoted (term) { return term.replace(/^<<|>>$/g, '').replace(/^(["'])(.*)\1$/, '$2') }

module.exports = { isWhitelisted }
