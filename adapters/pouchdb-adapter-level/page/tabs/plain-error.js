'use strict'

/** Errors as plain objects that go from tab to tab: a structured clone of an error keeps its message and nothing else. */

/** @param {any} error */
function toPlain (error) { return { ...error, name: error.name, message: error.message, isError: true } }

/** @param {any} plain */
function toError ({ isError, ...members }) { return Object.assign(new Error(members.message), members) }

module.exports = { toError, toPlain }
