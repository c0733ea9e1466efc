'use strict'

const { sendJsonText } = require('../http/response')

/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */

/** Headers that an answer has in any case. */
const STANDING = new Set(['content-length', 'date', 'connection', 'transfer-encoding'])

/** Answers with what a shard said. @param {PotorooResponse} res @param {import('../passing/inner-answer').InnerAnswer} answer */
async function relay (res, answer) { relayBytes(res, answer, await answer.bytes()) }

/** @param {PotorooResponse} res @param {import('../passing/inner-answer').InnerAnswer} answer @param {Buffer} bytes that were read of it */
function relayBytes (res, answer, bytes) {
  const headers = Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !STANDING.has(name)).map(([name, value]) => [properName(name), value]))
  sendJsonText(res, answer.status, bytes.toString(), headers)
}

/** `Content-Type` of `content-type`. @param {string} name */
function properName (name) { return name === 'etag' ? 'ETag' : name.replace(/(^|-)([a-z])/g, letter => letter.toUpperCase()) }

module.exports = { relay, relayBytes }
