'use strict'

/** The same as load.js, for a script element: all is in one file. */

/** @type {any} */
let late

/** @param {any} given */
function provide (given) { late = given }

/** @returns {Promise<any>} */
async function load () { return late }

/** @param {string} name */
function later (name) {
  return (/** @type {any[]} */ ...args) => late[name](...args)
}

module.exports = { later, load, pagesLater: later, provide }
