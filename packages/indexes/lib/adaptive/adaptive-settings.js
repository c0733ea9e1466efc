'use strict'

/**
 * When an index is learned, kept and forgotten.
 *
 * @typedef {object} Settings
 * @property {number} askThreshold how often a shape has to be asked
 * @property {number} minDocuments in smaller databases nothing is learned: scanning them is quick
 * @property {number} maxIndexes of a database
 * @property {number} maxSize bytes of one of them, and of all of a database
 * @property {number} maxShapes of a database that are noted while they have no index
 * @property {number} catchUp how many changes a query waits for; more are indexed in the background
 * @property {number} restAfter milliseconds after which an index that nobody asked for is no longer maintained
 * @property {number} dropAfter milliseconds after which it is dropped
 * @property {number} delay milliseconds between a write and the background update that indexes it
 */

const DAY = 24 * 60 * 60 * 1000

/** @type {Settings} */
const DEFAULTS = Object.freeze({
  askThreshold: 2,
  minDocuments: 1000,
  maxIndexes: 8,
  maxSize: 1024 * 1024 * 1024,
  maxShapes: 64,
  catchUp: 1000,
  restAfter: DAY,
  dropAfter: 30 * DAY,
  delay: 1000
})

module.exports = { DEFAULTS }
