'use strict'

const { ImportError } = require('../import/import-error')

/**
 * An address with credentials taken out of it, so that no message shows them.
 *
 * @param {string} text `http(s)://name:password@host/path`
 * @returns {{ url: string, segments: string[], authorization: string | undefined }} `url` without a
 *   slash at its end; `segments` of its path, decoded
 */
function parseAddress (text) {
  const url = parse(text)
  const authorization = url.username === '' ? undefined : basic(url)
  url.username = url.password = url.search = url.hash = ''
  const segments = url.pathname.split('/').filter(segment => segment !== '').map(decodeURIComponent)
  return { url: url.href.replace(/\/+$/, ''), segments, authorization }
}

/** @param {string} text */
function parse (text) {
  try {
    return new URL(text)
  } catch (cause) {
    throw new ImportError('SOURCE_FORMAT', { source: 'the address', why: 'it is not a URL', cause })
  }
}

/** @param {URL} url */
function basic ({ username, password }) {
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${Buffer.from(credentials).toString('base64')}`
}

module.exports = { parseAddress }
