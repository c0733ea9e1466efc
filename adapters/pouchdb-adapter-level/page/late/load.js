'use strict'

const { createError } = require('@potoroo/errors')

/**
 * Indexes and history are in a file of their own, which a page loads when it asks for them: one that reads, writes and
 * replicates never does.
 *
 * @type {any}
 */
let late

/** That file gives what is in it. @param {any} given */
function provide (given) { late = given }

/**
 * Loads it, unless the application did with itself.
 *
 * @returns {Promise<any>} what it gave
 * @throws UNAVAILABLE where it could not be loaded: the next call tries again
 */
async function load () {
  try {
    if (late === undefined) await import('./indexes.mjs')
  } catch (cause) {
    throw createError('UNAVAILABLE', { reason: 'The file that has the indexes of pouchdb-adapter-level was not loaded: without a network, load it before (import \'pouchdb-adapter-level/indexes\')', cause })
  }
  return late
}

/** Stands for an asynchronous function in that file. @param {string} name */
function later (name) {
  return async (/** @type {any[]} */ ...args) => (await load())[name](...args)
}

/** Stands for an asynchronous generator in that file. @param {string} name */
function pagesLater (name) {
  return async function * (/** @type {any[]} */ ...args) { yield * (await load())[name](...args) }
}

module.exports = { later, load, pagesLater, provide }
