'use strict'

/** The 256 pairs of hex digits. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Names of requests for `X-Couch-Request-ID`: 10 hex digits that count, from anywhere on. */
class RequestIds {
  #number = Math.floor(Math.random() * 0x100000000)
  #start = ''

  /** @returns {string} */
  next () {
    const number = this.#number = (this.#number + 1) >>> 0
    // The last two digits come from a table, for the others change once in 256 requests.
    if ((number & 0xff) === 0 || this.#start === '') this.#start = (number >>> 8).toString(16).padStart(8, '0')
    return this.#start + HEX[number & 0xff]
  }
}

/**
 * The name that a client or a proxy gives its request, to find it in the logs of both.
 *
 * @param {string | undefined} name of `X-Couch-Request-ID`
 * @returns {string | undefined} undefined where CouchDB would not take it either
 */
function givenId (name) {
  return name !== undefined && /^[\w-]{1,36}$/.test(name) ? name : undefined
}

module.exports = { RequestIds, givenId }
