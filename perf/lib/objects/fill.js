'use strict'

const { makeObjects } = require('../data/samples')
const { makeMidi } = require('../data/midi')

async function withObjects (subject, { size }) {
  await fill(subject, size)
  return { subject, size }
}

async function withFiles (subject, { size }) {
  await inParts(size, 100, (start, count) =>
    subject.insertFiles(start, Array.from({ length: count }, (_, index) => makeMidi(start + index))))
  return { subject, size }
}

async function openAgain (state) {
  await state.current.close()
  state.current = await state.reopen()
}

/** Stores `size` objects, from number 0. */
function fill (subject, size) {
  return inParts(size, 1000, (start, count) => subject.insert(start, makeObjects(start, count)))
}

async function inParts (size, part, store) {
  for (let start = 0; start < size; start += part) await store(start, Math.min(part, size - start))
}

module.exports = { fill, openAgain, withFiles, withObjects }
