'use strict'

/** The same as load-indexes.js, for a script element: all is in one file. */

/** @type {any} */
let indexes

/** @param {any} given */
function provideIndexes (given) { indexes = given }

/** @returns {Promise<any>} */
async function loadIndexes () { return indexes }

module.exports = { loadIndexes, provideIndexes }
