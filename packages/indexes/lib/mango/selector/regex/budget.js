'use strict'

/** Milliseconds that one is given at least. */
const LEAST = 10

/** Milliseconds that expressions have taken since others ran. */
let spent = 0

/** @param {number} milliseconds */
function spend (milliseconds) {
  if (spent === 0) setImmediate(() => { spent = 0 })
  spent += milliseconds
}

/** @param {number} most @returns {number} milliseconds that an expression may take now, 0 where others have to run before */
function left (most) { return spent > most - LEAST ? 0 : most - spent }

module.exports = { left, spend }
