'use strict'

const { makeObjects } = require('./samples')
const { makeMidi } = require('./midi')

const BATCH = 1000
const FILES = 100

/** Stores `size` objects, from number 0. */
async function fill (subject, size) {
  for (let start = 0; start < size; start += BATCH) {
    await subject.insert(start, makeObjects(start, Math.min(BATCH, size - start)))
  }
}

/** Stores `size` MIDI files, from number 0. */
async function fillFiles (subject, size) {
  for (let start = 0; start < size; start += FILES) {
    const count = Math.min(FILES, size - start)
    await subject.insertFiles(start, Array.from({ length: count }, (_, index) => makeMidi(start + index)))
  }
}

module.exports = { fill, fillFiles }
