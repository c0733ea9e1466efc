'use strict'

// Characters that terminals obey, that would look like a line of their own, or that turn text around.
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/

const CONTROLS = new RegExp(CONTROL, 'g')

/** `http://name:password@host`, plain or encoded. The bound is for texts that are made to take time. */
const CREDENTIALS = /(:\/\/|%3a%2f%2f)[^/@\s"'<>]{0,500}?(@|%40)(?=[\w.[])/gi

/** Returns what strangers wrote, on one line, and without what terminals obey: a tab is `\x09`. @param {string} text */
function escapeControls (text) {
  return CONTROL.test(text) ? text.replace(CONTROLS, escapeOne) : text
}

/** @param {string} character */
function escapeOne (character) {
  const code = character.charCodeAt(0).toString(16)
  return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`
}

/** Names and passwords in URLs become `*****`. @param {string} text */
function hideCredentials (text) {
  return text.includes('@') || text.includes('%40') ? text.replace(CREDENTIALS, '$1*****$2') : text
}

/** Lines after the first are indented, so that none of them looks like one of the log's. @param {string} text */
function indent (text) {
  return text.includes('\n') ? text.trimEnd().split(/\r?\n/).map(escapeControls).join('\n    ') : escapeControls(text)
}

module.exports = { escapeControls, hideCredentials, indent }
