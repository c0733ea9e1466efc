'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')

/** @typedef {{ login?: string, password?: string }} Login */

/**
 * Adds the name and password to a server's URL that has none: of `POTOROO_CREDENTIALS`, or of the netrc file,
 * `$NETRC` or `~/.netrc`, as curl and git have it. The URL is in no output and no list of processes then.
 *
 * @param {string} address
 * @param {string | undefined} credentials `name:password`
 * @param {Record<string, string | undefined>} [environment]
 * @returns {string} as it was, where nothing is known of it
 * @throws where the credentials are malformed; they are not in the error
 */
function withCredentials (address, credentials, environment = process.env) {
  if (!URL.canParse(address)) return address
  const url = new URL(address)
  if (url.password !== '') return address
  const login = credentials === undefined ? ofNetrc(url, environment) : parse(credentials)
  if (login === null) return address
  url.username = encodeURIComponent(login.login ?? decodeURIComponent(url.username))
  url.password = encodeURIComponent(login.password ?? '')
  return url.href
}

/** @param {string} text @returns {Login} */
function parse (text) {
  const colon = text.indexOf(':')
  if (colon < 1) throw new Error('POTOROO_CREDENTIALS must be name:password')
  return { login: text.slice(0, colon), password: text.slice(colon + 1) }
}

/** @param {URL} url @param {Record<string, string | undefined>} environment */
function ofNetrc ({ hostname, username }, environment) {
  const file = environment.NETRC ?? path.join(environment.HOME ?? os.homedir(), '.netrc')
  let text
  try {
    text = fs.readFileSync(file, 'utf8')
  } catch {
    return null
  }
  return loginFor(text, hostname, decodeURIComponent(username))
}

/**
 * Finds the first entry for a host, and for a name where that is known.
 *
 * @param {string} text of a netrc file: `machine HOST login NAME password PASSWORD`, or `default …`
 * @param {string} host
 * @param {string} name '' for any
 * @returns {Login | null}
 */
function loginFor (text, host, name) {
  const entries = entriesOf(text)
  return entries.find(entry => (entry.machine === host || entry.machine === undefined) && (name === '' || entry.login === undefined || entry.login === name)) ?? null
}

/** @param {string} text */
function entriesOf (text) {
  const words = [...text.replace(/^\s*#.*$/gm, '').matchAll(/"((?:\\.|[^"\\])*)"|(\S+)/g)].map(([, quoted, plain]) => quoted?.replace(/\\(.)/g, '$1') ?? plain)
  /** @type {Array<Login & { machine?: string }>} */
  const entries = []
  for (let at = 0; at < words.length; at++) {
    if (words[at] === 'machine') entries.push({ machine: words[++at] })
    else if (words[at] === 'default') entries.push({})
    else if (words[at] === 'login' || words[at] === 'password') Object.assign(entries.at(-1) ?? {}, { [words[at]]: words[++at] })
  }
  return entries
}

module.exports = { withCredentials }
