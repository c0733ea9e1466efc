'use strict'

const crypto = require('node:crypto')

/** @returns {string} a number that is used once */
function nonce () { return crypto.randomBytes(24).toString('base64url') }

/**
 * Returns what only somebody who has the secret can say: of which side, between which servers, in this very meeting.
 *
 * @param {string} secret
 * @param {'caller' | 'answerer'} side
 * @param {string[]} meeting ids of caller and answerer, and a nonce of each
 */
function proofOf (secret, side, meeting) {
  return crypto.createHmac('sha256', secret).update(JSON.stringify(['potoroo-cluster-1', side, ...meeting])).digest('base64url')
}

/** @param {unknown} given @param {string} expected */
function isSame (given, expected) {
  return typeof given === 'string' && given.length === expected.length && crypto.timingSafeEqual(Buffer.from(given.padEnd(expected.length)).subarray(0, expected.length), Buffer.from(expected))
}

module.exports = { isSame, nonce, proofOf }
