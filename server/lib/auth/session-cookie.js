'use strict'

const { badRequest } = require('@potoroo/errors')

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */

/**
 * CouchDB's cookie: base64url of `name:time:mac`, the time in seconds as capital hexadecimal
 * and the mac raw: HMAC of `name:time` with the server's secret followed by the user's salt.
 * A new password has a new salt, so it ends all sessions.
 *
 * @param {string} name
 * @param {string} salt of the user
 * @param {number} now seconds
 * @param {Pick<import('./secrets').Secrets, 'sign'>} secrets
 * @returns {string}
 */
function makeCookie (name, salt, now, secrets) {
  const data = `${name}:${Math.floor(now).toString(16).toUpperCase()}`
  return Buffer.concat([Buffer.from(`${data}:`), secrets.sign(data, salt)]).toString('base64url')
}

/**
 * @param {string} cookie
 * @returns {{ name: string, time: number, data: Buffer, mac: Buffer }} time is NaN where it is none;
 *   `data` is what the mac signs
 * @throws bad_request when it is no such cookie
 */
function readCookie (cookie) {
  const bytes = Buffer.from(cookie, 'base64url')
  const first = bytes.indexOf(0x3a)
  const second = bytes.indexOf(0x3a, first + 1)
  if (first < 0 || second < 0) throw badRequest('Malformed AuthSession cookie. Please clear your cookies.')
  const time = bytes.toString('latin1', first + 1, second)
  return {
    name: bytes.toString('utf8', 0, first),
    time: /^[0-9A-Fa-f]{1,12}$/.test(time) ? parseInt(time, 16) : NaN,
    data: bytes.subarray(0, second),
    mac: bytes.subarray(second + 1)
  }
}

/** The value of `AuthSession` in a Cookie header; '' for none. @param {string} header */
function authSession (header) {
  if (!header.includes('AuthSession=')) return ''
  for (const part of header.split(';')) {
    const text = part.trim()
    if (text.startsWith('AuthSession=')) return text.slice('AuthSession='.length).replace(/^"|"$/g, '')
  }
  return ''
}

const SAME_SITE = new Map([['none', 'None'], ['lax', 'Lax'], ['strict', 'Strict']])

/**
 * The Set-Cookie header for a session.
 *
 * @param {string} value '' ends it
 * @param {PotorooRequest} req
 * @param {import('./auth-settings').AuthSettings['now']} settings
 * @returns {string}
 */
function setCookie (value, req, { timeout, persistentCookies, cookieDomain, sameSite }) {
  const parts = [`AuthSession=${value}`, 'Version=1']
  if (persistentCookies) parts.push(`Expires=${cookieDate(Date.now() + timeout * 1000)}`, `Max-Age=${timeout}`)
  if (cookieDomain !== '') parts.push(`Domain=${cookieDomain}`)
  parts.push(`Path=${req.baseUrl || '/'}`)
  if (req.socket.encrypted) parts.push('Secure')
  parts.push('HttpOnly')
  if (SAME_SITE.has(sameSite)) parts.push(`SameSite=${SAME_SITE.get(sameSite)}`)
  return parts.join('; ')
}

/** `Sun, 22-Nov-2026 00:02:19 GMT` @param {number} time */
function cookieDate (time) {
  return new Date(time).toUTCString().replace(/(\d\d) (\w{3}) (\d{4})/, '$1-$2-$3')
}

/**
 * Puts it among the cookies that an answer sets, in place of an earlier one of ours.
 *
 * @param {PotorooResponse} res
 * @param {string} cookie
 */
function addCookie (res, cookie) {
  const others = [res.getHeader('Set-Cookie') ?? []].flat().filter(each => !String(each).startsWith('AuthSession='))
  res.setHeader('Set-Cookie', others.length === 0 ? cookie : /** @type {string[]} */ ([...others, cookie]))
}

module.exports = { makeCookie, readCookie, authSession, setCookie, addCookie }
