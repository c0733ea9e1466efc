'use strict'

const { documentId } = require('../data')
const { load } = require('./load')

/** @returns {object} the small document that PouchDB's cases read */
function makeSmall (number) {
  return { _id: documentId(number), foo: 'bar', baz: 'quux' }
}

/** Prepares a case that reads small documents. */
async function prepareSmall (db, { size }) {
  await load(db, size, makeSmall)
  return { db, size }
}

module.exports = { makeSmall, prepareSmall }
