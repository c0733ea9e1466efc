'use strict'

const { fillFiles } = require('../../lib/objects/fill')
const { readMetadata, metadataOf, HEAD } = require('../../lib/objects/midi')

/** The division, tempo and name of MIDI files of 20 to 40 KB, as in the paper. */
module.exports = {
  name: 'read the metadata of a MIDI file',
  unit: 'file',
  needs: 'midi',
  size: 2000,
  step: 500,
  goal: { times: 5 },
  async prepare (subject, { size }) {
    await fillFiles(subject, size)
    return { subject, size }
  },
  async run ({ subject, size }, start, step) {
    for (let index = start; index < start + step; index++) {
      const number = index % size
      const head = subject.read(number, 0, HEAD)
      const found = readMetadata(head.length === undefined ? await head : head)
      if (found.name.length < 13) throw new Error(`${found.name} is not the name`)
      if (index === start) check(found, number)
    }
  }
}

function check ({ division, tempo, name }, number) {
  const expected = metadataOf(number)
  if (division !== expected.division || tempo !== expected.tempo || name !== expected.name) throw new Error('Not the metadata')
}
