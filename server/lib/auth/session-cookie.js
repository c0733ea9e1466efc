'use strict'

const crypto = require('node:crypto')
const { createError } = require('@potoroo/errors')

/**
 * CouchDB's cookie: base64url of `name:time:mac`, the time in seconds as capital hexadecimal
 * and the mac raw: HMAC of `name:time` with the server's secret followed by the user's salt.
 * A new password has a new salt, so it ends all sessions.
 *
 * @param {string} name
 * @param {string} key secret and salt
 * @param {number} now seconds
 * @returns {string}
 */
function makeCookie (name, key, now) {
  const data = `${name}:${Math.floor(now).toString(16).toUpperCase()}`
  return Buffer.concat([Buffer.from(`${data}:`), mac('sha256', key, data)]).toString('base64url')
}

/**
 * @param {string} cookie
 * @returns {{ name: string, time: number, verify: (key: string) => boolean }}
 * @throws bad_request when it is no such cookie
 */
function readCookie (cookie) {
  const bytes = Buffer.from(cookie, 'base64url')
  const first = bytes.indexOf(0x3a)
  const second = bytes.indexOf(0x3a, first + 1)
  const time = parseInt(bytes.toString('latin1', first + 1, second), 16)
  if (first < 1 || second < 0 || Number.isNaN(time)) {
    throw createError('BAD_REQUEST', { reason: 'Malformed AuthSession cookie. Please clear your cookies.' })
  }
  const given = bytes.subarray(second + 1)
  const data = bytes.subarray(0, second)
  return {
    name: bytes.toString('utf8', 0, first),
    time,
    verify: key => ['sha256', 'sha1'].some(hash => {
      const expected = mac(hash, key, data)
      return expected.length === given.length && crypto.timingSafeEqual(expected, given)
    })
  }
}

function mac (hash, key, data) {
  return crypto.createHmac(hash, key).update(data).digest()
}

/** The value of `AuthSession` in a Cookie header, or undefined. */
function authSession (header) {
  for (const part of header.split(';')) {
    const text = part.trim()
    if (text.startsWith('AuthSession=')) return text.slice('AuthSession='.length).replace(/^"|"$/g, '')
  }
  return undefined
}

module.exports = { makeCookie, readCookie, authSession }
